# The greatest common divisor of two integers of millions of bits.
# expect: rung 3 Lehmer's loop over digits: _PyLong_GCD
# state: any
# when: run
import math
math.gcd(3**8_000_000 - 1, 5**5_400_000 - 2)
