# all(itertools.cycle([1, 2])).
# expect: rung 1
# state: kept
# when: run
import itertools
all(itertools.cycle([1, 2]))
