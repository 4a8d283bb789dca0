# The greatest common divisor of two integers of millions of bits.
# expect: rung 3 Lehmer's loop over digits: _PyLong_GCD
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: any
import math, random
# Powers would be the hang by themselves, and they poll.
a, b = (int.from_bytes(random.Random(seed).randbytes(2_000_000), "little") for seed in (1, 2))
math.gcd(a, b)
