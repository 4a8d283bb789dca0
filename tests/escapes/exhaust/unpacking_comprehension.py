# A comprehension that unpacks into one list, without an end.
# expect: memory
# only: 3.15+
import itertools
[*part for part in itertools.repeat([0] * 1000)]
