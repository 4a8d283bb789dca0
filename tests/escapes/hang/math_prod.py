# math.prod of an endless iterator: the number grows.
# expect: rung 2 or memory
import itertools, math
math.prod(itertools.repeat(10**100))
