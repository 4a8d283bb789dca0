# itertools.islice over islice, a million deep.
# expect: crash or recursion or memory or ok
# state: any
import itertools
it = iter([1])
for _ in range(1_000_000):
    it = itertools.islice(it, 5)
next(it)
