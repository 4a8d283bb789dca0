# Has SQLite sort more than may be kept in memory.
# limit: memory
# forms: local worker full bash
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("with recursive r(i) as (select 1 union all select i+1 from r where i < 2000000) "
          "select hex(randomblob(60)) x from r order by x").fetchone()
