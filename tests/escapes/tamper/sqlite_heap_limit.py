# SQLite's heap limit is the process's: with one byte, no session has a database any more.
# breach: neighbour
import sqlite3
sqlite3.connect(":memory:").execute("pragma hard_heap_limit = 1").fetchall()
