# VACUUM INTO a file outside.
# breach: marker
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("create table t (x)")
base.execute("vacuum into ?", [MARKER_FILE])
