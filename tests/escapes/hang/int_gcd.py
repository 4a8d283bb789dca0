# The greatest common divisor of two integers of millions of bits.
# expect: rung 3 Lehmer's loop over digits: _PyLong_GCD
# state: any
# when: run
import math, random
# Powers would be the hang by themselves, and they poll.
a, b = (int.from_bytes(random.Random(seed).randbytes(2_000_000), "little") for seed in (1, 2))
math.gcd(a, b)
