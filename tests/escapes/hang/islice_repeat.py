# The trillionth element of an endless iterator.
# expect: rung 1
import itertools
next(itertools.islice(itertools.repeat(1), 10**13, None))
