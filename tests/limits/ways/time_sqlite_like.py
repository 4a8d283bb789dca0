# A pattern for LIKE and GLOB that takes for ever.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("select ? glob ?", ("a" * 40_000, "*a" * 20_000 + "b")).fetchall()
