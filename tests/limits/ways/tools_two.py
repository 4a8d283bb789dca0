# Two tools, which share the limit.
# limit: tool_calls
# options: --tool "echo=cat" --tool "other=cat"
for i in range(30):
    for tool in (echo, other):
        try:
            tool(x=i)
        except Exception:
            pass
