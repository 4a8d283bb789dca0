# Calls with arguments of MiBs.
# limit: tool_calls
# options: --tool "echo=cat"
for i in range(30):
    try:
        echo(x='l' * 3_000_000)
    except Exception:
        pass
