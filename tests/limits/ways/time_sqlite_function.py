# A query with a function in Python that never ends and swallows what is raised.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import sqlite3
def f():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
c = sqlite3.connect(":memory:")
c.create_function("f", 0, f)
c.execute("select f()").fetchall()
