# A binomial coefficient of hundreds of millions of bits.
# expect: rung 1
# state: kept
# when: run
import math
math.comb(400_000_000, 200_000_000)
