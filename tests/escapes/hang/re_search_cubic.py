# A search that begins anew at each of six thousand places: polynomial, not exponential.
# expect: rung 1
# state: kept
# when: run
import re
re.findall(r"a*a*b", "a" * 6_000)
