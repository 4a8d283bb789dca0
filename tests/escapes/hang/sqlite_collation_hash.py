# The same in a collation, which SQLite's sorter calls.
# expect: rung 3 the hash of tuples: tuplehash
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
# profile: data
import sqlite3, sys
t, slices = (), sys.version_info >= (3, 14)
for _ in range(100):
    t = slice(t, t) if slices else (t, t)  # 3.14 remembers the hash of a tuple
c = sqlite3.connect(":memory:")
c.create_collation("k", lambda a, b: hash(t))
c.execute("create table x(a)")
c.executemany("insert into x values (?)", [("a",), ("b",)])
c.execute("select * from x order by a collate k").fetchall()
