# Sets ever more attributes on one object and one class.
# expect: memory
class Thing:
    pass
thing = Thing()
n = 0
while True:
    setattr(thing, "attribute" * 50 + str(n), n)
    setattr(Thing, "attribute" * 50 + str(n), n)
    n += 1
