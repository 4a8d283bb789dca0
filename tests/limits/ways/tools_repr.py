# Calls in a repr, when the value is shown and listed.
# limit: tool_calls
# options: --tool "echo=cat"
class R:
    def __repr__(self):
        for i in range(30):
            try:
                echo(x=i)
            except Exception:
                pass
        return 'r'
r = R()
r
# %% send {"session": session, "op": "vars"}
# %% inspect r
