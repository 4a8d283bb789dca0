# A finalizer stands in a loop in C when the session is closed.
# expect: rung 1
# when: close
import itertools
class Endless:
    def __del__(self, all=all, cycle=itertools.cycle):
        all(cycle([1]))
thing = Endless()
