# Backreferences that have to be tried in all combinations.
# expect: rung 1
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect short 3.14: rung 4
# state short 3.13: any
# state short 3.14: any
import re
re.match(r"(a*)(a*)(a*)(a*)(a*)(a*)(a*)(a*)\1\2\3\4\5\6\7\8$", "a" * 200 + "b")
