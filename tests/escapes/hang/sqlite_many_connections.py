# The same on a connection more than a session's are known of: its lock counts as any other.
# expect: rung 3 the hash of tuples: tuplehash
# expect 3.14: ok
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect 3.13: rung 4
# state: lost
# profile: data
# when: run
import sqlite3
t = ()
for _ in range(100):
    t = (t, t)
many = [sqlite3.connect(":memory:") for _ in range(400)]
many[-1].create_function("f", 0, lambda: hash(t))
many[-1].execute("select f()").fetchall()
