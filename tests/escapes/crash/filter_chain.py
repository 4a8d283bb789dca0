# filter over filter, a million deep.
# expect: crash or recursion or memory or ok
# state: any
it = iter([1])
for _ in range(1_000_000):
    it = filter(None, it)
next(it)
