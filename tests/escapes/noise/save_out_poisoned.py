# Out, _ and In have what nobody put there.
# expect: ok
# when: save
class Runs:
    def __reduce__(self):
        return exec, ("raise SystemExit",)
Out[1] = Runs()
Out["text"] = Out[-5] = Out[10 ** 30] = 3
Out[2.5] = Runs()
_ = __ = Runs()
In.append(Runs())
In[0] = None
globals()["\ud800"] = globals()["a\0b"] = globals()[""] = 1
globals()[3] = globals()[("t",)] = 2
__annotations__ = Runs()
# %%
assert "text" not in Out and all(type(key) is int for key in Out), Out
