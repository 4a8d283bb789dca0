# The same in a collation, which SQLite's sorter calls.
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
c.create_collation("k", lambda a, b: hash(t))
c.execute("create table x(a)")
c.executemany("insert into x values (?)", [("a",), ("b",)])
c.execute("select * from x order by a collate k").fetchall()
