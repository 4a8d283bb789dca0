# Calls while the session is saved.
# limit: tool_calls
# options: --tool "echo=cat"
class C:
    def __getstate__(self):
        for i in range(30):
            try:
                echo(x=i)
            except Exception:
                pass
        return {}
c = C()
# %% send {"session": session, "op": "save", "path": folder + "/calls"}
