# A finalizer that never ends, at the cell's end, at the reset and at the close.
# limit: wall cpu
# forms: local worker full bash
class D:
    def __del__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
def f():
    D()
x = D()
f()
# %% reset
# %% cell
1
# %% close
