# The factorial of fifty million.
# expect: rung 1
import math
math.factorial(50_000_000)
