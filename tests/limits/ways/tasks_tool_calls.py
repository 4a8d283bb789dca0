# Calls a tool more often than it may, in loops that swallow what is raised.
# limit: tool_calls
# options: --tool echo=cat
n = 0
for i in range(60):
    try:
        echo(n=i)
        n += 1
    except Exception:
        pass
n
