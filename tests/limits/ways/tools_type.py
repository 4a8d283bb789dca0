# Calls by the function's type and its methods.
# limit: tool_calls
# options: --tool "echo=cat"
for i in range(50):
    try:
        type(echo).__call__(echo, x=i)
        echo.__call__(x=i)
    except Exception:
        pass
