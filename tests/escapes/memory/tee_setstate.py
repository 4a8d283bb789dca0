# A tee is set to values that it has not read: it takes for objects what lay there.
# 3.14 cannot set the state of itertools.
# expect: ok
# expect 3.14: error
# expect 3.15: error
import itertools
kept = [b"\x41" * 440 for _ in range(200)]
del kept
refused = 0
for _ in range(100):
    first, second = itertools.tee(iter(range(100)))
    data = first.__reduce__()[2][0]
    try:
        first.__setstate__((data, 40))
    except ValueError:
        refused += 1
        continue
    next(first), next(first)
    second.__setstate__((data, 1))
    repr(next(second))
assert refused == 100
next(first), next(first)
second.__setstate__(first.__reduce__()[2])
assert next(first) == next(second) == 2
