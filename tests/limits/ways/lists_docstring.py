# Inspection of a docstring and a source of MiBs.
# limit: lists answer
def f():
    pass
f.__doc__ = '\x01' * 3_000_000
f.__signature__ = 5
# %% inspect f
# %% inspect f(
