# weakref.finalize runs its function at exit, and the function loops.
# expect: rung 1
# state: any
# when: atexit
import weakref
class Thing:
    pass
def forever():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
thing = Thing()
finalizers = [weakref.finalize(thing, forever) for _ in range(20)]
