# Fills the heap, and then the stack by recursions in C as deep as they go.
# limit: memory
# forms: local worker full bash
import sys
sys.setrecursionlimit(10 ** 8) if hasattr(sys, "setrecursionlimit") else None
keep = [b"x" * (1 << 20) for i in range(50)]
def f(n):
    return max([n], key=lambda x: f(x + 1))
try:
    f(0)
except (RecursionError, MemoryError) as error:
    print(type(error))
it = iter(range(3))
for i in range(200_000):
    it = map(abs, it)
try:
    next(it)
except (RecursionError, MemoryError) as error:
    print(type(error))
