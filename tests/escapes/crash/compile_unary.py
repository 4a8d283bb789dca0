# Compiles a million minus signs, the recursion limit off.
# expect: error or memory or recursion or crash or denied
# state: any
# when: compile
import sys
sys.setrecursionlimit(10**9)
compile("-" * 10**6 + "1", "x", "eval")
