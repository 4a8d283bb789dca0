# sqlite3.connect by an address.
# breach: marker
import sqlite3
sqlite3.connect("file:" + MARKER_FILE + "?mode=rwc", uri=True).execute("create table t (x)")
