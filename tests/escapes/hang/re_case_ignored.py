# The same backtracking in the engine for two-byte text, case ignored.
# expect: rung 1
# state: kept
# when: run
import re
re.match("(?i)(?:[\u0430-\u044f]+\\s*)+$", "\u0430" * 60 + "!")
