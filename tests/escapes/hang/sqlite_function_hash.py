# A function of the session's own, called by SQLite with the connection's lock held, that computes
# without end.
# expect: rung 3 the hash of tuples: tuplehash
# expect 3.14: ok
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
# profile: data
# when: run
import sqlite3
t = ()
for _ in range(100):
    t = (t, t)
c = sqlite3.connect(":memory:")
c.create_function("f", 0, lambda: hash(t))
c.execute("select f()").fetchall()
