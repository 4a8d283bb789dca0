# Calls while an exception is told.
# limit: tool_calls
# options: --tool "echo=cat"
class E(Exception):
    def __str__(self):
        for i in range(30):
            try:
                echo(x=i)
            except Exception:
                pass
        return 'e'
raise E
