# A finalizer at the session's end starts a thread that does not end.
# expect: rung 1 or ok
# threads: 1
# when: close
import threading
def loop():
    while True:
        pass
class Last:
    def __del__(self, start=threading.Thread(target=loop).start):
        start()
last = Last()
