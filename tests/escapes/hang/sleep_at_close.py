# A finalizer sleeps when the session is closed.
# expect: rung 1
# state: any
# when: close
import time
class Sleepy:
    def __del__(self, sleep=time.sleep):
        sleep(1e6)
thing = Sleepy()
