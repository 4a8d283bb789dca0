# A callback of a connection takes itself away, or closes the connection: what called it was freed.
# expect: ok
# profile: data
import sqlite3
db = sqlite3.connect(":memory:")
def refuse(change):
    global refused
    try:
        change()
    except RuntimeError:
        refused += 1
class Sum:
    def step(self, value):
        pass
    def finalize(self):
        refuse(db.close)
        refuse(lambda: db.__init__(":memory:"))
        return 1
refused = 0
db.set_trace_callback(lambda text: refuse(lambda: db.set_trace_callback(None)))
db.execute("create table t (x)")
db.execute("insert into t values (1)")
db.commit()
db.set_trace_callback(None)
assert refused >= 3, refused
refused = 0
db.set_progress_handler(lambda: refuse(lambda: db.set_progress_handler(None, 1)), 1)
assert list(db.execute("select x from t")) == [(1,)]
db.set_progress_handler(None, 1)
assert refused
refused = 0
db.create_aggregate("own_sum", 1, Sum)
assert db.execute("select own_sum(x) from t").fetchall() == [(1,)]
assert refused == 2
db.close()
