# Has SQLite copy a database to others.
# limit: disk_bytes
# forms: local worker full bash
import sqlite3
c = sqlite3.connect("d.db")
c.execute("create table t(b)")
c.execute("insert into t values(randomblob(9000000))")
c.commit()
for i in range(20):
    try:
        c.execute(f"vacuum into 'v{i}.db'")
    except sqlite3.Error as error:
        print(error)
