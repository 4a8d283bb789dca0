# Calls in a loop that minds no error.
# limit: tool_calls
# options: --tool "echo=cat"
n = 0
while n < 100:
    n += 1
    try:
        echo(x=n)
    except Exception:
        pass
