# sum(itertools.repeat(0.5)): added as C numbers.
# expect: rung 3 the quick path of sum for float: builtin_sum
# state: lost
# when: run
import itertools
sum(itertools.repeat(0.5))
