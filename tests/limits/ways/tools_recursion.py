# Calls from a recursion.
# limit: tool_calls
# options: --tool "echo=cat"
def f(n):
    try:
        echo(x=n)
    except Exception:
        pass
    if n:
        f(n - 1)
f(60)
