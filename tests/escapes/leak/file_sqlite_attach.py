# ATTACH fails otherwise for a file than for none.
# breach: setting existence
import sqlite3
connection = sqlite3.connect(":memory:")
def exists(path):
    try:
        connection.execute(f"attach 'file:{path}?mode=ro' as other")
    except sqlite3.DatabaseError as error:
        return "not a database" in str(error)
exists(SECRET_FILE), bool(exists(SECRET_FILE + "x"))
