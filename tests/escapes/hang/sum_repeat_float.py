# sum(itertools.repeat(0.5)): added as C numbers.
# expect: rung 1
import itertools
sum(itertools.repeat(0.5))
