# A database in memory that grows by 100 MB at a time.
# expect: memory
# profile: data
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t(b)")
for _ in range(15):
    c.execute("insert into t values (zeroblob(100000000))")
# %%
del c
