# __del__ makes and drops an object with __del__, the recursion limit off.
# expect: recursion or memory or crash or denied or error or ok
# state: any
# when: finalizer
import sys
sys.setrecursionlimit(10**9)
class A:
    def __init__(self, depth):
        self.depth = depth
    def __del__(self):
        A(self.depth + 1)
A(0)
