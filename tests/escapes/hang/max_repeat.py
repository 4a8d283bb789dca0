# max(itertools.repeat(1)).
# expect: rung 3 the loop of min and max: min_max
# state: lost
# when: run
import itertools
max(itertools.repeat(1))
