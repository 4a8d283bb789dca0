# chain.from_iterable over chain.from_iterable, half a million deep.
# expect: crash or recursion or memory or ok or error
# state: any
import itertools
it = iter([1])
for _ in range(500_000):
    it = itertools.chain.from_iterable([it])
next(it)
