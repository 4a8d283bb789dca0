# A search that begins again at each of six thousand places: polynomial, not exponential.
# expect: rung 1
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect short 3.14: rung 4
# state short 3.13: any
# state short 3.14: any
import re
re.findall(r"a*a*b", "a" * 6_000)
