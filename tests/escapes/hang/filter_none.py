# filter(None, ...) over endless zeros.
# expect: rung 1
# state: kept
# when: run
import itertools
next(filter(None, itertools.repeat(0)))
