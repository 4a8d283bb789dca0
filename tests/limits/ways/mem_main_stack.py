# Grows the stack of the process's first thread, which is not data.
# limit: memory
# forms: bash
import ctypes, resource, os, sys
hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
if len(sys.argv) == 1 and not os.environ.get("AGAIN"):
    os.environ["AGAIN"] = "1"
    os.execv(sys.executable, [sys.executable, "-c", """
import sys, ctypes
sys.setrecursionlimit(10**7)
import functools
def f(n):
    return max([n], key=lambda x: n < 200000 and f(x + 1))
f(0)
"""])
