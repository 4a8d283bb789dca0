# A classmethod of a classmethod, half a million deep, is looked up.
# expect: crash or recursion or memory or ok or error
# state: any
def f(cls):
    return 1
for _ in range(1_000_000):
    f = classmethod(f)
class Thing:
    g = f
Thing.g
