# Opens as many databases as files may be there, each with a journal.
# limit: disk_files
# forms: local worker full bash
import sqlite3
keep = []
try:
    for i in range(300):
        c = sqlite3.connect(f"d{i}.db", isolation_level=None)
        c.execute("begin immediate")
        c.execute("create table t(x)")
        keep.append(c)
except sqlite3.Error as error:
    print(error)
print(len(keep))
