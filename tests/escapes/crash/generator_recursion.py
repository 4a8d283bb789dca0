# Generators that delegate to one another, half a million deep, the recursion limit off.
# expect: recursion or memory or crash or denied or error or ok
# state: any
import sys
sys.setrecursionlimit(10**9)
def delegate(inner):
    yield from inner
g = iter([1])
for _ in range(200_000):
    g = delegate(g)
next(g)
