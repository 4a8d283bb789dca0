# Interns a hundred thousand names and forgets them: a table of the process on 3.11.
# expect: ok
import sys
for n in range(100_000):
    sys.intern(f"interned {n}")
