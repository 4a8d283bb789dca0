# math.fsum(itertools.repeat(0.5)).
# expect: rung 1
import itertools, math
math.fsum(itertools.repeat(0.5))
