# isinstance with a tuple a million deep, the recursion limit off.
# expect: recursion or memory or crash or denied or error or ok
# state: any
import sys
sys.setrecursionlimit(10**9)
t = ()
for _ in range(10**6):
    t = (t,)
isinstance(1, t)
