# map over map, a million deep: next() recurses in C without a check.
# expect: crash or recursion or memory or ok
# state: any
it = iter([1])
for _ in range(1_000_000):
    it = map(int, it)
next(it)
