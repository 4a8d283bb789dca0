# math.prod(itertools.repeat(1)).
# expect: rung 3 the quick path of math.prod for int: math_prod_impl
# state: lost
# when: run
import itertools, math
math.prod(itertools.repeat(1))
