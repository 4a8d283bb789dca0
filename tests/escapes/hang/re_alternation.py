# Alternatives that overlap, lazily repeated: exponential without an allocation.
# expect: rung 1
# state: kept
# when: run
import re
re.match(r"(?:a|a|a)*?$", "a" * 60 + "b")
