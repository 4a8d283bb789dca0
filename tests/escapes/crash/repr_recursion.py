# The repr of a list a million deep, the recursion limit off.
# expect: recursion or memory or crash or denied or error or rung 3 list.__repr__ looks through all the lists that it is inside of, a million times
# state: any
# when: repr
import sys
sys.setrecursionlimit(10**9)
nested = []
for _ in range(10**6):
    nested = [nested]
repr(nested)
