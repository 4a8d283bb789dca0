# Completion and inspection whose hooks never end.
# limit: wall cpu
class C:
    def __dir__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
    def __getattr__(self, name):
        return self.__dir__()
x = C()
# %% complete x.
# %% inspect x.y
# %% send {"session": session, "op": "vars"}
