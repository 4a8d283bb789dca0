# The value's repr starts a thread that does not end.
# expect: rung 1
# threads: 1
# when: repr
import threading
def loop():
    while True:
        pass
class Value:
    def __repr__(self):
        threading.Thread(target=loop).start()
        return "Value()"
Value()
