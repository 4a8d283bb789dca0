# sum(itertools.repeat(0)): added as C numbers.
# expect: rung 1
# state: kept
# when: run
import itertools
sum(itertools.repeat(0))
