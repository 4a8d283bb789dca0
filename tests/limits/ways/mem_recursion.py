# Takes stack: frames, and C's stack below callbacks.
# limit: memory
# forms: local worker full bash
import functools, sys
sys.setrecursionlimit(10 ** 9) if hasattr(sys, "setrecursionlimit") else None
def f(n):
    return max([n], key=lambda x: f(x + 1))
try:
    f(0)
except RecursionError:
    pass
def g(n, *rest):
    return g(n + 1, *rest)
try:
    g(0, *range(1000))
except (RecursionError, MemoryError):
    pass
