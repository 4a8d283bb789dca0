# A chain of iterators 800,000 deep is freed when the session is closed.
# expect: ok or crash
# state: any
# when: close
import itertools
it = iter([1])
for _ in range(800_000):
    it = itertools.zip_longest(it)
