# math.prod(itertools.repeat(1)).
# expect: rung 1
# state: kept
# when: run
import itertools, math
math.prod(itertools.repeat(1))
