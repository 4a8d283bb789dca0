# A binomial coefficient of hundreds of millions of bits.
# expect: rung 1
import math
math.comb(400_000_000, 200_000_000)
