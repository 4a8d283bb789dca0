# Takes the recursion limit off, then recurses in Python.
# expect: recursion or memory or denied or error
import sys
sys.setrecursionlimit(10**9)
def f(n):
    return f(n + 1)
f(0)
