# Compiles ever new patterns: Python code of the library.
# expect: rung 1
import re
n = 0
while True:
    try:
        while True:
            n += 1
            re.compile(f"(a|b){{{n % 1000}}}x{n}")
    except BaseException:
        pass
