# math.fsum(itertools.repeat(0.5)).
# expect: rung 1
# state: kept
# when: run
import itertools, math
math.fsum(itertools.repeat(0.5))
