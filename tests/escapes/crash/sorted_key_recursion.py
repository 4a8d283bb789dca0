# A key function sorts with itself as the key, the recursion limit off.
# expect: recursion or memory or crash or denied or error
# expect short 3.11: died
# state: any
# when: sort key
import sys
sys.setrecursionlimit(10**9)
def key(n):
    return sorted([n, n], key=key)
key(1)
