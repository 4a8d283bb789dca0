# Makes ever more weak references to one object, each with its own callback.
# expect: memory
import weakref
class Thing:
    pass
thing = Thing()
kept = []
while True:
    kept.append(weakref.ref(thing, lambda reference, text="x" * 100: text))
