# re.sub with a function that runs another catastrophic match for each.
# expect: rung 1
# state: kept
# when: run
import re
re.sub(r".", lambda found: re.match(r"(x+x+)+y", "x" * 40) or "", "abc")
