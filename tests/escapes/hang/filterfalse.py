# itertools.filterfalse over endless ones.
# expect: rung 3 the loop of filterfalse: filterfalse_next
# state: lost
# when: run
import itertools
next(itertools.filterfalse(None, itertools.repeat(1)))
