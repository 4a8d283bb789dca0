# A query without an end, which nothing of Python's runs in.
# expect: rung 1
# profile: data
# cell: 2
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table kept(a)")
c.execute("insert into kept values (1)")
# %%
c.execute("""with recursive r(i) as (select 1 union all select i + 1 from r)
             select count(*) from r""").fetchall()
# %%
c.execute("select a from kept").fetchall()
