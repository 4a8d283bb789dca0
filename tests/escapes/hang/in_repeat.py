# 2 in itertools.repeat(1).
# expect: rung 1
import itertools
2 in itertools.repeat(1)
