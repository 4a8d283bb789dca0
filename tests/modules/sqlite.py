"""What programs do with SQLite works in a session as in plain Python; what would reach the process does not.

sqlite.py: as files.py, under the profile data. SNUG is the program, SNUG_PYTHON the Python.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cells"))
import client  # noqa: E402
import files  # noqa: E402

# As in plain Python.
CELLS = {
    "a sort that does not fit in the cache": """
import sqlite3
db = sqlite3.connect("big.db"); db.execute("pragma cache_size = 10"); db.execute("create table t (a, b)")
db.execute("with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) "
           "insert into t select i * 7919 % 200003, hex(zeroblob(20)) from n")
print([row[0] for row in db.execute("select a from t order by a limit 3")], sum(1 for _ in db.execute("select b, a from t order by b, a")))
db.execute("create index i on t (b, a)"); db.commit(); print(db.execute("pragma integrity_check").fetchall())
db.execute("create temp table k as select distinct b from t"); print(db.execute("select count(*) from k").fetchone())""",
    "text is searched": """
import sqlite3
db = sqlite3.connect(":memory:")
for kind in ("fts4", "fts5"):
    db.execute(f"create virtual table {kind}_t using {kind} (a, tokenize = porter)")
    db.executemany(f"insert into {kind}_t values (?)", [("running wild",), ("walking",)])
    print(db.execute(f"select a from {kind}_t where {kind}_t match 'run'").fetchall())
db.execute("create virtual table r using rtree (id, low, high)"); db.execute("insert into r values (1, 2, 3)")
print(db.execute("select id from r where low < 3").fetchall())
db.execute("create virtual table k using fts3tokenize (simple)"); print(db.execute("select token from k where input = 'One two'").fetchall())""",
    "functions of the program are in views, triggers and indexes": """
import sqlite3
db = sqlite3.connect(":memory:"); db.create_function("twice", 1, lambda x: 2 * x, deterministic=True)
db.executescript("create table t (a); create table log (b); create view v as select twice(a) from t; create index i on t (twice(a));"
                 "create trigger g after insert on t begin insert into log values (twice(new.a)); end;")
db.execute("insert into t values (21)"); print(db.execute("select * from v").fetchall(), db.execute("select * from log").fetchall())
print(db.execute("select a from t where twice(a) = 42").fetchall())""",
    "aggregates, windows and collations": """
import sqlite3
class Longest:
    def __init__(self): self.text = ""
    def step(self, text): self.text = max(self.text, text, key=len)
    def finalize(self): return self.text
db = sqlite3.connect(":memory:"); db.create_aggregate("longest", 1, Longest); db.create_collation("backwards", lambda a, b: (a < b) - (a > b))
db.execute("create table t (a)"); db.executemany("insert into t values (?)", [("x",), ("xyz",), ("yy",)])
print(db.execute("select longest(a) from t").fetchone(), db.execute("select a from t order by a collate backwards").fetchall())
print(db.execute("select a, row_number() over (order by a) from t").fetchall())""",
    "pragmas that tell": """
import sqlite3
db = sqlite3.connect("p.db"); db.execute("create table t (a integer primary key, b text references t (a))"); db.execute("create index i on t (b)"); db.commit()
for name in ("table_info (t)", "table_xinfo (t)", "index_list (t)", "index_info (i)", "index_xinfo (i)", "foreign_key_list (t)", "foreign_key_check",
             "user_version", "application_id", "encoding", "page_size", "page_count", "freelist_count", "integrity_check", "quick_check",
             "journal_mode", "synchronous", "schema_version", "data_version", "auto_vacuum", "threads", "mmap_size", "collation_list", "optimize"):
    print(name, db.execute("pragma " + name).fetchall())
print(db.execute("select name from pragma_table_info('t')").fetchall())""",
    "pragmas that set": """
import sqlite3
db = sqlite3.connect("p.db", isolation_level=None)
for name, value in [("user_version", 7), ("application_id", 8), ("foreign_keys", 1), ("cache_size", -500), ("synchronous", 0), ("recursive_triggers", 1),
                    ("busy_timeout", 9), ("journal_mode", "memory"), ("journal_mode", "truncate"), ("locking_mode", "exclusive"),
                    ("secure_delete", 1), ("max_page_count", 99), ("temp_store", "memory"), ("Foreign_Keys", "OFF"), ("main.user_version", 10), ("query_only", 1)]:
    db.execute(f"pragma {name} = {value}").fetchall(); print(name, db.execute("pragma " + name).fetchall())""",
    "other databases are attached": """
import sqlite3, os
db = sqlite3.connect("a.db")
for n, name in enumerate(("b.db", ":memory:", "", os.path.join(os.getcwd(), "c.db"), "./d.db")):
    db.execute(f"attach '{name}' as x{n}"); db.execute(f"create table x{n}.t (a)"); db.execute(f"insert into x{n}.t values ({n})")
db.commit(); print(db.execute("select * from x0.t union select * from x3.t").fetchall()); db.execute("detach x0")
print(sorted(os.listdir()))""",
    "vacuum": """
import sqlite3, os
db = sqlite3.connect("a.db"); db.execute("create table t (a)"); db.executemany("insert into t values (?)", [("x" * 900,)] * 900)
db.execute("delete from t where rowid > 9"); db.commit(); db.execute("vacuum"); db.execute("vacuum into 'b.db'")
db.execute("vacuum into ?", ("c.db",)); print(sorted((name, os.path.getsize(name)) for name in os.listdir()))""",
    "backups, dumps and images": """
import sqlite3
a = sqlite3.connect(":memory:"); a.executescript("create table t (a, b); insert into t values (1, 'x'); insert into t values (2, zeroblob(4));")
b = sqlite3.connect("b.db"); a.backup(b); print(b.execute("select a from t").fetchall(), list(a.iterdump()))
c = sqlite3.connect(":memory:"); c.executescript("".join(a.iterdump())); print(c.execute("select count(*) from t").fetchone())
d = sqlite3.connect(":memory:"); d.deserialize(a.serialize()); print(d.execute("select count(*) from t").fetchone())
with a.blobopen("t", "b", 2) as blob: blob.write(b"wxyz")
print(a.execute("select b from t where a = 2").fetchone())""",
    "connections are made in many ways": """
import sqlite3, pathlib
class Own(sqlite3.Connection):
    def __init__(self, *args, **keywords): super().__init__(*args, **keywords)
for db in (sqlite3.connect("a.db", cached_statements=5, factory=Own), Own("a.db"), sqlite3.connect(database="a.db", timeout=1, detect_types=1)):
    print(type(db).__name__, db.execute("pragma foreign_keys").fetchall(), db.getlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS))
db.__init__(":memory:"); print(db.execute("select 1").fetchall())""",
    "two connections have one file": """
import sqlite3
a, b = sqlite3.connect("a.db", timeout=0), sqlite3.connect("a.db", timeout=0); a.execute("create table t (a)"); a.commit()
a.execute("insert into t values (1)")
try: b.execute("insert into t values (2)")
except sqlite3.OperationalError as error: print(error)
a.commit(); print(b.execute("select * from t").fetchall())""",
    "progress, traces and interrupts": """
import sqlite3
db = sqlite3.connect(":memory:"); seen = []; db.set_trace_callback(seen.append); db.execute("select 1"); db.set_trace_callback(None); print(seen)
db.set_progress_handler(lambda: 1, 100)
try: db.execute("with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n").fetchall()
except sqlite3.OperationalError as error: print(error)""",
}

# What a statement may not do: "not authorized". Each is on a connection db to a file.
DENIED = {
    "a heap limit of the process": "pragma hard_heap_limit = 1",
    "the soft one": "pragma soft_heap_limit = 1",
    "a heap limit as a table": "select * from pragma_hard_heap_limit",
    "the process's folder of temporary files": "pragma temp_store_directory = '/tmp'",
    "a schema that can be written": "pragma writable_schema = 1",
    "the number of the schema": "pragma schema_version = 3",
    "a pragma that nobody knows": "pragma of_another_sqlite = 1",
    "a library": "select load_extension('x')",
    "a tokenizer at an address": "select fts3_tokenizer('x', x'4141414141414141')",
    "the address of a tokenizer": "select fts3_tokenizer('simple')",
    "a database in memory that is shared": "attach 'file:x?mode=memory&cache=shared' as x",
    "one of another file system": "attach 'file:/x?vfs=memdb' as x",
    "a URI in capitals": "attach 'FILE:x' as x",
    "a name that is computed": "attach 'fi' || 'le:x' as x",
    "a database elsewhere": "attach '/tmp/snug-no.db' as x",
    "one above": "attach '../snug-no.db' as x",
    "a copy elsewhere": "vacuum into '/tmp/snug-no.db'",
    "a copy by a URI": "vacuum into 'file:/x?vfs=memdb'",
}

# What is for speed only, and goes on without; with what the session has then.
UNTUNED = {
    "pragma journal_mode = wal": "delete",
    "pragma main.Journal_Mode = W": "delete",
    "pragma mmap_size = 100000000": 0,
    "pragma threads = 8": 0,
    "pragma temp_store = file": 2,
    "pragma temp_store = 1": 2,
}

# What a connection or the module may not do: PermissionError. Absent where this Python has none.
REFUSED = ["db.set_authorizer(None)", "db.setlimit(11, 8)", "db.setconfig(1010, False)", "db.enable_load_extension(True)",
           "db.load_extension('x')", "sqlite3.enable_shared_cache(True)", "sqlite3.Connection.set_authorizer(db, None)",
           "super(sqlite3.Connection, type('Own', (sqlite3.Connection,), {})('b.db')).__init__() or db.set_authorizer(lambda *ignored: 0)",
           "sqlite3.connect('file:x?mode=memory', uri=True)", "sqlite3.connect('file:b.db')"]

# In a process of its own each: the first import of the extension is what they are about.
IMPORTS = {
    "a function that the import calls may not open a database, nor keep a method": """
import sys, types
import functools, collections, datetime, time
real, kept = sys.modules["functools"], []
class Own(types.ModuleType):
    @property
    def lru_cache(self):
        module = sys.modules["_sqlite3"]
        for type in object.__subclasses__():
            if type.__module__ == "sqlite3" and type.__name__ == "Connection": kept.append(type.set_authorizer)
        try: module.Connection(":memory:")
        except (PermissionError, AttributeError) as error: kept.append(error)
        return real.lru_cache
sys.modules["functools"] = Own("functools")
import sqlite3
sys.modules["functools"] = real
db = sqlite3.connect(":memory:")
try: kept[0](db, None)
except PermissionError as error: print(len(kept), error)
try: db.execute("pragma hard_heap_limit")
except sqlite3.DatabaseError as error: print(error)""",
    "a connection that the import did not make is not trusted": """
import sys, types
import functools, collections, datetime, time
real = sys.modules["functools"]
class Own(types.ModuleType):
    @property
    def lru_cache(self):
        self.module = sys.modules["_sqlite3"]
        self.real, self.module.Connection = self.module.Connection, int
        return real.lru_cache
own = sys.modules["functools"] = Own("functools")
import sqlite3
sys.modules["functools"] = real
try: own.real(":memory:")
except PermissionError as error: print(error)""",
}
IMPORT_ANSWERS = ["""2 sqlite3.Connection.set_authorizer is not allowed in this session
not authorized
""", "sqlite3.connect is not allowed in this session: this SQLite cannot be kept from the process\n"]


def denied(statement):
    return (f"import sqlite3\ndb = sqlite3.connect('a.db')\ntry: print(db.execute({statement!r}).fetchall())\n"
            "except sqlite3.Error as error: print('no' if 'authoriz' in str(error) or 'no such function' in str(error) else error)")


def untuned(statement):
    name = statement.split(" = ")[0]
    return (f"import sqlite3\ndb = sqlite3.connect('a.db')\nprint(db.execute({statement!r}).fetchall())\n"
            f"print(db.execute({name!r}).fetchone()[0])")


def refused(call):
    return (f"import sqlite3, warnings\nwarnings.simplefilter('ignore')\ndb = sqlite3.connect('a.db')\ntry: print({call})\n"
            "except PermissionError: print('no')\nexcept AttributeError as error: print('no' if 'no attribute' in str(error) else error)")


def output(snug, session, code):
    result = snug.ask({"session": session, "code": code})
    return result["stdout"] + (result["error"] or {}).get("traceback", "")


def main():
    failed = count = 0

    def compare(name, wanted, got):
        nonlocal failed, count
        count += 1
        if got != wanted:
            failed += 1
            print(f"FAILED {name}\n--- wanted\n{wanted}--- got\n{got}")

    snug = client.Snug(["--profile", "data"])
    for name, code in CELLS.items():
        compare(name, files.plainly(code), output(snug, name, code))
    for name, statement in DENIED.items():
        compare(name, "no\n", output(snug, name, denied(statement)))
    for statement, left in UNTUNED.items():
        compare(statement, f"[]\n{left}\n", output(snug, statement, untuned(statement)))
    for call in REFUSED:
        compare(call, "no\n", output(snug, call[:40], refused(call)))
    snug.finish()
    for (name, code), wanted in zip(IMPORTS.items(), IMPORT_ANSWERS):
        snug = client.Snug(["--profile", "data"])
        compare(name, wanted, output(snug, "a", code))
        snug.finish()
    print(f"{count} sentences, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
