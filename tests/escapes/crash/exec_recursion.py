# exec of a text that execs itself, the recursion limit off: a compiler at every level.
# expect: recursion or memory or crash or denied or error
# state: any
import sys
sys.setrecursionlimit(10**9)
text = "exec(text)"
exec(text)
