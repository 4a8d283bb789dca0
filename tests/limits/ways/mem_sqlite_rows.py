# Fills a database in memory by a recursive query, without a row of it in Python.
# limit: memory
# forms: local worker full bash
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t(b)")
c.execute("with recursive r(i) as (select 1 union all select i+1 from r where i < 3000000) "
          "insert into t select 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' || i from r")
