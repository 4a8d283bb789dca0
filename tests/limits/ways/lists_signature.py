# Inspection of a signature with long defaults and annotations.
# limit: lists answer
def f(a: 'A' * 900_000 = 'd' * 900_000, *, b=['x' * 1000] * 1000) -> 'R' * 900_000:
    'doc'
# %% inspect f(
