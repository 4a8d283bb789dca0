# Calls whose arguments are not JSON, between others.
# limit: tool_calls
# options: --tool "echo=cat"
for i in range(50):
    for x in ({1}, float('nan'), i, b'', object()):
        try:
            echo(x=x)
        except Exception:
            pass
