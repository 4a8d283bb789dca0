# sqlite3.connect outside.
# breach: marker
import sqlite3
sqlite3.connect(MARKER_FILE).execute("create table t (x)")
