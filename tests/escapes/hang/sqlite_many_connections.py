# The same on a connection more than a session's are known of: its lock counts as any other.
# expect: rung 3 the hash of tuples: tuplehash
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect 3.13: rung 4
# expect 3.14: rung 4
# expect 3.15: rung 4
# state: lost
# profile: data
import sqlite3, sys
t, slices = (), sys.version_info >= (3, 14)
for _ in range(100):
    t = slice(t, t) if slices else (t, t)  # 3.14 remembers the hash of a tuple
many = [sqlite3.connect(":memory:") for _ in range(400)]
many[-1].create_function("f", 0, lambda: hash(t))
many[-1].execute("select f()").fetchall()
