# enumerate over enumerate, half a million deep.
# expect: crash or recursion or memory or ok
# state: any
it = iter([1])
for _ in range(500_000):
    it = enumerate(it)
next(it)
