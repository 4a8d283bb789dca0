# A search that begins anew at each of twenty thousand places: polynomial, not exponential.
# expect: rung 1
# state: kept
# when: run
import re
re.findall(r"a*a*b", "a" * 20_000)
