# set.update by an endless iterator of one thing.
# expect: rung 1
# state: kept
# when: run
import itertools
set(itertools.repeat(1))
