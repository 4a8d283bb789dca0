# A chain of iterators a million deep is freed when the session is closed.
# expect: ok or crash
# expect 3.14: ok or crash or memory
# state: any
# when: close
import itertools
it = iter([1])
for _ in range(1_000_000):
    it = itertools.zip_longest(it)
