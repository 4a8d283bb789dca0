# A database opened by a path with dots.
# breach: marker
import os, sqlite3
path = os.path.relpath(MARKER_FILE, os.path.realpath("."))
connection = sqlite3.connect(path)
connection.execute("create table t(x)")
connection.commit()
