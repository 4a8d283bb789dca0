# Replacements whose function never ends, and whose pattern is quadratic.
# limit: wall cpu
# forms: local worker full bash
import re
re.sub(r"(x+x+)+y", lambda m: [0 for _ in iter(int, 1)], "x" * 60)
