# Keys of the namespace that are not plain names, whose hash and comparison run code.
# expect: ok or error
class Key(str):
    def __hash__(self): return hash("x")
    def __eq__(self, other):
        globals().pop("y", None)
        return False
    def __del__(self):
        globals()["after"] = 1
globals()[Key("x")] = 1
globals()[7] = 2
globals()[("a",)] = 3
# %%
# expect: ok or error
x = 1
y = 2
for key in list(globals()):
    if not isinstance(key, str) or type(key) is not str:
        del globals()[key]
# %%
1 + 1
