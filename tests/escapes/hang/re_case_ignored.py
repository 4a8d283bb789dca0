# The same backtracking in the engine for two-byte text, case ignored.
# expect: rung 1
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect short 3.14: rung 4
# state short 3.13: any
# state short 3.14: any
import re
re.match("(?i)(?:[\u0430-\u044f]+\\s*)+$", "\u0430" * 60 + "!")
