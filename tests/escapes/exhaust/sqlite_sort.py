# A sort of more than there is memory for, which SQLite does in memory.
# expect: memory
# profile: data
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("""with recursive r(i) as (select 1 union all select i + 1 from r where i < 600000)
             select i from r order by hex(zeroblob(300)) || i limit 1 offset 599999""").fetchall()
# %%
del c
