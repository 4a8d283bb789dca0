# A regular expression that backtracks.
# limit: wall cpu
# forms: local worker full bash
import re
re.match("(a|a)*(a|a)*b", "a" * 40)
