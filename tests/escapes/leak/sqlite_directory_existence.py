# SQLite's folder for temporary files is asked for by access(2).
# breach: setting existence
import sqlite3
connection = sqlite3.connect(":memory:")
def exists(path):
    try:
        connection.execute(f"pragma temp_store_directory = '{path}'").fetchall()
    except sqlite3.OperationalError:
        return False
    return True
exists(SECRET_FILE), exists(SECRET_FILE + "x")
