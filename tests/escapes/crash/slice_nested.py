# The repr and comparison of slices in slices.
# expect: crash or recursion or memory or ok
# state: any
a = b = None
for _ in range(500_000):
    a, b = slice(a), slice(b)
a == b
