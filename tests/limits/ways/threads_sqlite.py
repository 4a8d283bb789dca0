# Threads of SQLite's for sorting.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import sqlite3
c = sqlite3.connect(':memory:')
for text in ('pragma threads = 8', 'pragma cache_size = 10'):
    try:
        c.execute(text)
    except sqlite3.Error as error:
        print(error)
c.execute('with recursive r(i) as (select 1 union all select i+1 from r where i < 200000) select i from r order by random()').fetchone()
