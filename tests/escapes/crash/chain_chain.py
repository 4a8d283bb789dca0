# itertools.chain over chain, a million deep.
# expect: crash or recursion or memory or ok
# state: any
import itertools
it = iter([1])
for _ in range(1_000_000):
    it = itertools.chain(it)
next(it)
