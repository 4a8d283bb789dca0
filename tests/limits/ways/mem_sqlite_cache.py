# Gives a database in a file a cache without a bound, and fills it.
# limit: memory disk_bytes
# forms: local worker full bash
import sqlite3
c = sqlite3.connect("d.db")
c.execute("pragma cache_size = 1000000000")
c.execute("create table t(b)")
for i in range(60):
    c.execute("insert into t values(randomblob(5000000))")
