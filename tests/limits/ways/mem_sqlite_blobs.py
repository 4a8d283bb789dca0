# Fills tables of a database in memory with blobs of zeros.
# limit: memory
# forms: local worker full bash
# quick:
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t(b)")
for i in range(8):
    c.execute("insert into t values(zeroblob(100000000))")
print(c.execute("select sum(length(b)) from t").fetchall())
