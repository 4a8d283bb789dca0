# Fills a database in a file, with its journal.
# limit: disk_bytes
# forms: local worker full bash
import sqlite3
c = sqlite3.connect("d.db")
c.execute("create table t(b)")
try:
    for i in range(60):
        c.execute("insert into t values(randomblob(1000000))")
        c.commit()
    c.execute("update t set b = randomblob(1000000)")
except sqlite3.Error as error:
    print(error)
c2 = sqlite3.connect("e.db")
c2.execute("create table t(b)")
c2.execute("insert into t values(randomblob(9000000))")
c2.commit()
