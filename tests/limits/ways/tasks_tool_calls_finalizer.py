# Calls a tool in finalizers, display hooks and at completion.
# limit: tool_calls
# options: --tool echo=cat
class Caller:
    def __del__(self):
        for i in range(30):
            try:
                echo(n=i)
            except Exception:
                pass
    def __repr__(self):
        self.__del__()
        return "x"
    def __dir__(self):
        self.__del__()
        return []
x = Caller()
x
# %% complete x.
# %% cell
del x
_ = None
# %% reset
# %% cell
1
