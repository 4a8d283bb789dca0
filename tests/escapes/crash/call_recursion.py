# Calls through objects whose __call__ is another instance, the recursion limit off.
# expect: recursion or memory or crash or denied or error
# expect short 3.11: died
# state: any
import sys
sys.setrecursionlimit(10**9)
class A:
    pass
A.__call__ = A()
A()()
