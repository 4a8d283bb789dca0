# filter(None, ...) over endless zeros.
# expect: rung 3 the loop of filter: filter_next
# state: lost
# when: run
import itertools
next(filter(None, itertools.repeat(0)))
