# The index of SQLite's write-ahead log is a mapped file, and it is cut. A database may say of
# itself that it has such a log.
# expect: error or ok
# profile: data
import os, sqlite3
connection = sqlite3.connect("logged.db")
connection.execute("create table t(x)")
connection.commit()
connection.close()
with open("logged.db", "r+b") as file:
    file.seek(18)
    file.write(b"\2\2")
connection = sqlite3.connect("logged.db", isolation_level=None)
connection.execute("insert into t values (1)")
os.truncate("logged.db-shm", 0)
connection.execute("insert into t values (2)")
