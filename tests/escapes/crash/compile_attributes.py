# Compiles x.x.x.x, a hundred thousand attributes long: a tree that leans to the left.
# expect: error or memory or recursion or crash or denied or ok
# state: any
# when: compile
import sys
sys.setrecursionlimit(10**9)
compile("x" + ".x" * 10**5, "x", "eval")
