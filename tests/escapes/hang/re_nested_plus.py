# (a+)+$ on a long run of a: exponential backtracking.
# expect: rung 1
# state: kept
# when: run
import re
re.match(r"(a+)+$", "a" * 40 + "b")
