# math.fsum(itertools.repeat(0.5)).
# expect: rung 3 the loop of math.fsum: math_fsum
# state: lost
# when: run
import itertools, math
math.fsum(itertools.repeat(0.5))
