# A comprehension that unpacks one dict again and again.
# expect: rung 1
# only: 3.15+
import itertools
{**d for d in itertools.repeat({1: 1})}
