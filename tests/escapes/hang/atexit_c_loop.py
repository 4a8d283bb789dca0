# A function that runs at exit stands in a loop in C.
# expect: rung 1
# when: atexit
import itertools, operator, weakref
class Thing:
    pass
thing = Thing()
weakref.finalize(thing, operator.countOf, itertools.repeat(1), 2)
