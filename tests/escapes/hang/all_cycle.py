# all(itertools.cycle([1, 2])).
# expect: rung 3 the loop of all: builtin_all
# state: lost
# when: run
import itertools
all(itertools.cycle([1, 2]))
