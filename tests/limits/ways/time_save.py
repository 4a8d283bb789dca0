# A save whose hooks never end.
# limit: wall cpu
class C:
    def __getstate__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
x = C()
# %% send {"session": session, "op": "save", "path": folder + "/never"}
