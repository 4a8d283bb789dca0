# SQLite tells where a database is.
# breach: secret
import sqlite3
connection = sqlite3.connect("where.db")
connection.execute("create table t(x)")
connection.execute("pragma database_list").fetchall()
