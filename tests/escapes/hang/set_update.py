# set.update by an endless iterator of one thing.
# expect: rung 1
import itertools
set(itertools.repeat(1))
