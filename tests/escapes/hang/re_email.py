# The well-known pattern for addresses, on one that almost is one.
# expect: rung 1
# expect short 3.11: hang
# expect short 3.13: rung 4
# state short 3.13: any
import re
re.match(r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
         "a" * 60 + "!")
