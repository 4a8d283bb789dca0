# Calls in a generator that is closed.
# limit: tool_calls
# options: --tool "echo=cat"
def g():
    try:
        yield
    finally:
        for i in range(50):
            try:
                echo(x=i)
            except Exception:
                pass
x = g()
next(x)
x.close()
