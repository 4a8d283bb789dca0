# Attaches many databases, and fills all in one transaction.
# limit: disk_bytes disk_files
# forms: local worker full bash
import sqlite3
c = sqlite3.connect("d.db", isolation_level=None)
try:
    for i in range(9):
        c.execute(f"attach 'a{i}.db' as a{i}")
        c.execute(f"create table a{i}.t(b)")
    c.execute("begin")
    for k in range(6):
        for i in range(9):
            c.execute(f"insert into a{i}.t values(randomblob(1500000))")
    c.execute("commit")
except sqlite3.Error as error:
    print(error)
