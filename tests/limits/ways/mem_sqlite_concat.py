# Has SQLite put strings together: group_concat and replace grow one value.
# limit: memory
# forms: local worker full bash
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("select length(replace(hex(zeroblob(10000000)), '0', '0123456789012345678901234567890123456789'))").fetchall()
