# itertools.filterfalse over endless ones.
# expect: rung 1
# state: kept
# when: run
import itertools
next(itertools.filterfalse(None, itertools.repeat(1)))
