# Compiles a pattern of twenty thousand groups in one another, the recursion limit off.
# expect: ok or error or memory or recursion or denied
# state: any
import re, sys
sys.setrecursionlimit(10**9)
re.compile("(" * 20000 + ")" * 20000)
