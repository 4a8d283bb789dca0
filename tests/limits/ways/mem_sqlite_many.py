# Opens databases in memory, one after the other, each with a little in it.
# limit: memory
# forms: local worker full bash
import sqlite3
keep = []
while True:
    c = sqlite3.connect(":memory:")
    c.execute("create table t(b)")
    c.execute("insert into t values(zeroblob(1000000))")
    keep.append(c)
