# The integer square root of a number of a hundred million bits.
# expect: rung 1
# expect short 3.11: rung 4
# state short 3.11: any
import math
math.isqrt((1 << 100_000_000) - 1)
