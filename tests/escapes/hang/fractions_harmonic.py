# Sums ever larger fractions: big integers below Python code.
# expect: rung 1
from fractions import Fraction
total = Fraction(0)
n = 1
while True:
    total += Fraction(1, n)
    n += 1
