# A query that counts for ever.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import sqlite3
sqlite3.connect(":memory:").execute(
    "with recursive r(i) as (select 1 union all select i+1 from r) select count(*) from r").fetchall()
