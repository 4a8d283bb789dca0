# filter(None, ...) over endless zeros.
# expect: rung 1
import itertools
next(filter(None, itertools.repeat(0)))
