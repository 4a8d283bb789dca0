# The trillionth element of count().
# expect: rung 2
import itertools
next(itertools.islice(itertools.count(1000), 10**13, None))
