# The repr of the value stands in a loop in C.
# expect: rung 1
# when: repr
import itertools
class Endless:
    def __repr__(self):
        all(itertools.cycle([1, 2]))
Endless()
