# __import__ of a name whose hash is below itself, the recursion limit off: taken as plain text.
# expect: ok
# state: any
# when: import
import sys
sys.setrecursionlimit(10**9)
class A(str):
    def __hash__(self):
        return hash(A("x"))
__import__(A("math"))
