# set.update by an endless iterator of one thing.
# expect: rung 3 the loop of set.update: set_update_internal
# state: lost
# when: run
import itertools
set(itertools.repeat(1))
