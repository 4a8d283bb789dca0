# Fills temporary tables.
# limit: memory
# forms: local worker full bash
import sqlite3
c = sqlite3.connect("d.db")
c.execute("create temp table t(b)")
for i in range(6):
    c.execute("insert into t values(randomblob(80000000))")
