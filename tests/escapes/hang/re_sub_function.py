# re.sub with a function that runs another catastrophic match for each.
# expect: rung 1
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect short 3.14: rung 4
# state short 3.13: any
# state short 3.14: any
import re
re.sub(r".", lambda found: re.match(r"(x+x+)+y", "x" * 40) or "", "abc")
