# Functions, methods, partials and generators with long names.
# limit: value
import functools
def f():
    yield
f.__qualname__ = f.__name__ = "f" * 4_000_000
f
# %% cell
f()
# %% cell
functools.partial(f, *["p" * 10_000] * 100)
