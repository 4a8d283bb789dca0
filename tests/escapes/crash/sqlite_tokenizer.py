# A tokenizer of SQLite's is a table of functions at an address that the cell says.
# expect: error
# profile: data
import sqlite3, struct
connection = sqlite3.connect(":memory:")
module = struct.pack("iiPPPPPP", 0, 0, *[0x4141414141] * 6) + bytes(64)
where = struct.pack("P", id(module) + bytes.__basicsize__ - 1)
connection.execute("select fts3_tokenizer('any', ?)", (where,)).fetchall()
connection.execute("create virtual table t using fts3tokenize('any')")
