# __del__ sleeps, and starts again when it is woken.
# expect: rung 1
# when: finalizer
import time
class Thing:
    def __del__(self):
        while True:
            try:
                time.sleep(1e6)
            except BaseException:
                pass
thing = Thing()
del thing
