# Fills a database and loses the session in the midst of a query, round after round.
# limit: memory
# options: --timeout 1.5s
# rounds: 3
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t(b)")
c.execute("insert into t values(randomblob(90000000))")
c.execute("with recursive r(i) as (select 1 union all select i+1 from r) select count(*) from r").fetchall()
# %% reset
