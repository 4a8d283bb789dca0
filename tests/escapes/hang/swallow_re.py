# A catastrophic match, and again after each interrupt.
# expect: rung 1
# expect short: rung 4
# state short: any
import re
while True:
    try:
        re.match(r"(a+)+$", "a" * 40 + "b")
    except BaseException:
        pass
