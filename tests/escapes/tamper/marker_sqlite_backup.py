# A backup into a database outside.
# breach: marker
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("create table t (x)")
base.backup(sqlite3.connect(MARKER_FILE))
