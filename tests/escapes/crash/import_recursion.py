# __import__ below itself: a class whose attribute lookup imports, the recursion limit off.
# expect: recursion or memory or crash or denied or error
# state: any
# when: import
import sys
sys.setrecursionlimit(10**9)
class A(str):
    def __hash__(self):
        return hash(A("x"))
__import__(A("math"))
