# Calls by attributes that look like values.
# limit: tool_calls
# options: --tool "echo=cat"
class A:
    @property
    def v(self):
        return echo(x=1)
a = A()
for i in range(50):
    try:
        a.v
    except Exception:
        pass
