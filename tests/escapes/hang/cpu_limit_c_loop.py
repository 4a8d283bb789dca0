# A loop in C meets the limit of processor time.
# expect: rung 3 all() over itertools.cycle: builtin_all
# state: lost
# when: cpu
import itertools
all(itertools.cycle([1, 2]))
