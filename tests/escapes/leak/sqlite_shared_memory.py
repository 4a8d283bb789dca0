# A database in memory that all connections of the process share.
# breach: neighbour
import sqlite3
connection = sqlite3.connect(":memory:")
connection.execute("attach 'file:/common?vfs=memdb' as common")
connection.execute("select text from common.vault").fetchall()
