# Calls once more when the limit was told, in the same cell and the next ones.
# limit: tool_calls
# options: --tool "echo=cat"
def f():
    for i in range(20):
        try:
            echo(x=i)
        except Exception:
            pass
f()
# %% cell
f()
# %% cell
f(); f()
