# functools.partial of partial with an attribute, a hundred thousand deep, is called.
# expect: crash or recursion or memory or error or ok
# state: any
import functools
f = int
for _ in range(300_000):
    f = functools.partial(f)
    f.attribute = 1
f()
