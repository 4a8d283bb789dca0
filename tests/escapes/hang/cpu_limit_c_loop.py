# A loop in C meets the limit of processor time.
# expect: rung 1
# when: cpu
import itertools
all(itertools.cycle([1, 2]))
