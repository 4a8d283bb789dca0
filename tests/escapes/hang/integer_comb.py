# A binomial of math.integer: multiplications of large numbers in C.
# expect: rung 2
# only: 3.15+
import math.integer
math.integer.comb(10**8, 10**7)
