# functools.cache remembers every call.
# expect: memory
import functools
@functools.cache
def f(n):
    return "x" * 1000 + str(n)
n = 0
while True:
    f(n)
    n += 1
