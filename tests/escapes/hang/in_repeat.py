# 2 in itertools.repeat(1).
# expect: rung 1
# state: kept
# when: run
import itertools
2 in itertools.repeat(1)
