# str() of an object whose __str__ is str(), and format below format, the limit off.
# expect: recursion or memory or crash or denied or error
# expect short 3.11: died
# state: any
import sys
sys.setrecursionlimit(10**9)
class A:
    def __format__(self, spec):
        return f"{self}"
f"{A()}"
