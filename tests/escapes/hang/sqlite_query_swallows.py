# Queries without an end, one after another, whatever ends them.
# expect: rung 1
# profile: data
import sqlite3
c = sqlite3.connect(":memory:")
while True:
    try:
        c.execute("""with recursive r(i) as (select 1 union all select i + 1 from r)
                     select count(*) from r""").fetchall()
    except BaseException:
        pass
