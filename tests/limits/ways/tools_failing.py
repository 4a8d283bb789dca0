# A tool that fails, which counts as well.
# limit: tool_calls
# options: --tool "echo=cat" --tool "fails=false"
for i in range(50):
    try:
        fails(x=i)
    except Exception:
        pass
