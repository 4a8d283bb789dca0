# A bound method of a bound method, a hundred thousand deep, is called.
# expect: crash or recursion or memory or error
# state: any
import types
method = print
for _ in range(100_000):
    method = types.MethodType(method, 1)
method()
