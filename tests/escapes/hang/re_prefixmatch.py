# re.prefixmatch of a pattern that tries all ways.
# expect: rung 1
# only: 3.15+
import re
re.prefixmatch(r"(a+)+$", "a" * 50 + "b")
