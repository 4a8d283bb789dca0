# Calls when the name has been deleted and bound again.
# limit: tool_calls
# options: --tool "echo=cat"
f = echo
del echo
echo = lambda **k: f(**k)
for i in range(50):
    try:
        echo(x=i)
    except Exception:
        pass
