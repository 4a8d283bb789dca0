# math.prod(itertools.repeat(1)).
# expect: rung 1
import itertools, math
math.prod(itertools.repeat(1))
