# itertools.cycle over cycle, half a million deep.
# expect: crash or recursion or memory or ok
# state: any
import itertools
it = iter([1])
for _ in range(500_000):
    it = itertools.cycle(it)
next(it)
