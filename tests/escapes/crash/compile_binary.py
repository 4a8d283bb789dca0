# Compiles a sum of a hundred thousand terms.
# expect: error or memory or recursion or crash or denied or ok
# state: any
# when: compile
import sys
sys.setrecursionlimit(10**9)
compile("+".join(["x"] * 10**5), "x", "eval")
