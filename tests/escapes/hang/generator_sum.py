# sum over a generator expression that never ends.
# expect: rung 1
import itertools
sum(1 for _ in itertools.count())
