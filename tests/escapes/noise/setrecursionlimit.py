# Sets the recursion limit to ten and leaves it there.
# expect: ok or denied or error or recursion
import sys
sys.setrecursionlimit(50)
# %%
# expect: ok or recursion
1 + 1
