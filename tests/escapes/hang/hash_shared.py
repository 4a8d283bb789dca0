# The hash of a nested tuple that shares its parts: nothing remembers it.
# expect: rung 3 the hash of tuples: tuplehash
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
import sys
t, slices = (), sys.version_info >= (3, 14)
for _ in range(100):
    t = slice(t, t) if slices else (t, t)  # 3.14 remembers the hash of a tuple
hash(t)
