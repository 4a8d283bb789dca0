# Alternatives that overlap, lazily repeated: exponential without an allocation.
# expect: rung 1
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect short 3.14: rung 4
# state short 3.13: any
# state short 3.14: any
import re
re.match(r"(?:a|a|a)*?$", "a" * 60 + "b")
