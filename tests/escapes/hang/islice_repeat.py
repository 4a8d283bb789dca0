# The trillionth element of an endless iterator.
# expect: rung 3 the skipping of islice: islice_next
# state: lost
# when: run
import itertools
next(itertools.islice(itertools.repeat(1), 10**13, None))
