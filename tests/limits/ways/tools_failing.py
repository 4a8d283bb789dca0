# A tool that fails, which counts as well.
# limit: tool_calls
# forms: local worker full
# options: --tool "echo=cat" --tool "fails=false"
for i in range(50):
    try:
        fails(x=i)
    except Exception:
        pass
