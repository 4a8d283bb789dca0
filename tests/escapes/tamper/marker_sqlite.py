# sqlite3.connect outside.
# breach: marker
# state: kept
import sqlite3
sqlite3.connect(MARKER_FILE).execute("create table t (x)")
