# math.prod of an endless iterator: the number grows.
# expect: rung 2 or memory
# state: kept
# when: run
import itertools, math
math.prod(itertools.repeat(10**100))
