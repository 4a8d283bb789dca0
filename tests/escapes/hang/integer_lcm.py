# math.integer.lcm of many numbers: divisions of larger and larger numbers in C.
# expect: rung 2
# only: 3.15+
import math.integer
math.integer.lcm(*range(1, 3_000_000))
