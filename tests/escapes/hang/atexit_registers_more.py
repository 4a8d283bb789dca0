# A function that runs at exit loops and registers itself again.
# expect: rung 1
# state: any
# when: atexit
import weakref
class Thing:
    pass
thing = Thing()
def again():
    weakref.finalize(thing, again)
    while True:
        pass
weakref.finalize(thing, again)
