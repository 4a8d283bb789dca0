# max(itertools.repeat(1)).
# expect: rung 1
import itertools
max(itertools.repeat(1))
