# SQLite sorts on threads of its own, whose processor time is nobody's.
# expect: ok
# profile: data
import sqlite3
connection = sqlite3.connect(":memory:")
connection.execute("pragma threads = 8")
connection.execute("pragma cache_size = 20")
connection.execute("create table t(x)")
connection.execute("with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) "
                   "insert into t select hex(randomblob(20)) from n")
connection.execute("create index i on t(x)")
assert connection.execute("pragma threads").fetchall() == [(0,)]
