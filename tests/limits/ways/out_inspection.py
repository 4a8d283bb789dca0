# Inspection of what has a long text.
# limit: answer
def f(a="d" * 9_000_000):
    pass
f.__doc__ = "\x01" * 9_000_000
# %% inspect f(
