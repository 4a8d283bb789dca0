# A function that SQLite calls, in Python, which catches whatever is raised in it.
# expect: rung 1
# profile: data
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
