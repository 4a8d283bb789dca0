# Calls by names that were kept from an earlier cell.
# limit: tool_calls
# options: --tool "echo=cat"
keep = [echo] * 5
# %% cell
for i in range(50):
    try:
        keep[i % 5](x=i)
    except Exception:
        pass
