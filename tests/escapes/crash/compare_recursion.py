# Compares two lists a million deep, the recursion limit off.
# expect: recursion or memory or crash or denied or error or ok
# state: any
import sys
sys.setrecursionlimit(10**9)
a = []
b = []
for _ in range(10**6):
    a, b = [a], [b]
a == b
