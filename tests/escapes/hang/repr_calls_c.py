# The repr of the value stands in a loop in C.
# expect: rung 3 all() over itertools.cycle: builtin_all
# state: lost
# when: repr
import itertools
class Endless:
    def __repr__(self):
        all(itertools.cycle([1, 2]))
Endless()
