# A weak reference's callback loops: what it raises is only reported.
# expect: rung 1
# when: finalizer
import weakref
class Thing:
    pass
def callback(reference):
    while True:
        pass
while True:
    thing = Thing()
    reference = weakref.ref(thing, callback)
    del thing
