# copy.deepcopy of a list a million deep, the recursion limit off.
# expect: recursion or memory or crash or denied or error
# state: any
import copy, sys
sys.setrecursionlimit(10**9)
nested = []
for _ in range(10**6):
    nested = [nested]
copy.deepcopy(nested)
