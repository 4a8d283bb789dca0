# SQLite reads a mapped file that was cut meanwhile.
# expect: error or ok
# profile: data
import os, sqlite3
connection = sqlite3.connect("mapped.db")
connection.execute("create table t(x)")
connection.executemany("insert into t values (?)", [("a" * 1000,)] * 5000)
connection.commit()
connection.close()
connection = sqlite3.connect("mapped.db")
connection.execute("pragma mmap_size = 100000000").fetchall()
rows = connection.execute("select x from t")
rows.fetchone()
os.truncate("mapped.db", 4096)
len(rows.fetchall())
