# The integer square root of a number of a hundred million bits.
# expect: rung 1
# state: kept
# when: run
import math
math.isqrt((1 << 100_000_000) - 1)
