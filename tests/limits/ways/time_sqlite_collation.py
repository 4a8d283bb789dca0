# Sorts by a collation in Python that hashes shared tuples.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import sqlite3
t = ()
for i in range(45):
    t = slice(t, t) if slice.__hash__ else (t, t)  # 3.14 remembers the hash of a tuple
c = sqlite3.connect(":memory:")
c.create_collation("h", lambda a, b: hash(t))
c.execute("select * from (select 'a' x union select 'b' union select 'c') order by x collate h").fetchall()
