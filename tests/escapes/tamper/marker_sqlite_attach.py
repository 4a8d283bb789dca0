# ATTACH of a database outside.
# breach: marker
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("attach ? as other", [MARKER_FILE])
base.execute("create table other.t (x)")
