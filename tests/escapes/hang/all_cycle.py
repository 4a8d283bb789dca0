# all(itertools.cycle([1, 2])).
# expect: rung 1
import itertools
all(itertools.cycle([1, 2]))
