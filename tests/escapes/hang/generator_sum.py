# sum over a generator expression that never ends.
# expect: rung 1
# state: kept
# when: run
import itertools
sum(1 for _ in itertools.count())
