# A catastrophic pattern inside a lookahead inside a repeat.
# expect: rung 1
# state: kept
# when: run
import re
re.search(r"(?:(?=(?:x+x+)+y)x)*$", "x" * 60)
