# The factorial of fifty million.
# expect: rung 1
# state: kept
# when: run
import math
math.factorial(50_000_000)
