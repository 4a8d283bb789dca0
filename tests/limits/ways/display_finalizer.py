# Displays that finalizers make, at the cell's end and between cells.
# limit: displays
class D:
    def __del__(self, display=display):
        for i in range(50):
            display({"text/html": "f" * 100_000}, raw=True)
x = D()
def f():
    D()
f()
# %% cell
del x
# %% cell
1
