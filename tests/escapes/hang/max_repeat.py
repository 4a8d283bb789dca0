# max(itertools.repeat(1)).
# expect: rung 1
# state: kept
# when: run
import itertools
max(itertools.repeat(1))
