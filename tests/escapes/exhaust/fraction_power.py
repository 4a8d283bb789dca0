# A fraction to the power of a hundred million.
# expect: memory or rung 1
from fractions import Fraction
Fraction(3**1000, 7**1000) ** 10**7
