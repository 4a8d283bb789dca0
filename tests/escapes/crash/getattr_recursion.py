# __getattr__ asks for a longer name, the recursion limit off.
# expect: recursion or memory or crash or denied or error
# state: any
import sys
sys.setrecursionlimit(10**9)
class A:
    def __getattr__(self, name):
        return getattr(self, name + "x")
A().x
