# A function that runs at exit stands in a loop in C.
# expect: rung 3 operator.countOf over itertools.repeat: _PySequence_IterSearch
# state: any
# when: atexit
import itertools, operator, weakref
class Thing:
    pass
thing = Thing()
weakref.finalize(thing, operator.countOf, itertools.repeat(1), 2)
