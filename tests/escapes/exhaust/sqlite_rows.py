# The same in small rows, and whoever is refused goes on.
# expect: memory
# state: any
# profile: data
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t(b)")
while True:
    try:
        c.execute("""insert into t with recursive r(i) as (select 1 union all select i + 1 from r
                     where i < 20000) select zeroblob(900) from r""")
    except (MemoryError, sqlite3.Error):
        pass
