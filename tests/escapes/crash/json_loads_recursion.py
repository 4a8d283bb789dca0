# json.loads of a million brackets, the recursion limit off.
# expect: recursion or memory or crash or denied or error
# state: any
import json, sys
sys.setrecursionlimit(10**9)
json.loads("[" * 10**6)
