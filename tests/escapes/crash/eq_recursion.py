# __eq__ compares itself, the recursion limit off.
# expect: recursion or memory or crash or denied or error
# expect short 3.11: died
# state: any
import sys
sys.setrecursionlimit(10**9)
class A:
    def __eq__(self, other):
        return [self] == [A()]
A() == A()
