# The hash of a bound method whose self is a bound method, half a million deep.
# expect: crash or recursion or memory or ok
# state: any
import types
method = (1).__add__
for _ in range(1_000_000):
    method = types.MethodType(method, method)
hash(method)
