# json.dumps of a list a million deep, the recursion limit off.
# expect: recursion or memory or crash or denied or error or ok
# state: any
import json, sys
sys.setrecursionlimit(10**9)
nested = []
for _ in range(10**6):
    nested = [nested]
json.dumps(nested, check_circular=False)
