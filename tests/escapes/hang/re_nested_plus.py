# (a+)+$ on a long run of a: exponential backtracking.
# expect: rung 1
# expect short: rung 4
# state short: any
import re
re.match(r"(a+)+$", "a" * 40 + "b")
