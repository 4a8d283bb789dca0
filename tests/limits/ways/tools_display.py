# Calls while a display describes itself.
# limit: tool_calls
# options: --tool "echo=cat"
class D:
    def _repr_html_(self):
        for i in range(30):
            try:
                echo(x=i)
            except Exception:
                pass
        return 'd'
for i in range(3):
    display(D())
D()
