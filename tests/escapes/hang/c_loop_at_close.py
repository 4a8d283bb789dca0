# A finalizer stands in a loop in C when the session is closed.
# expect: rung 3 all() over itertools.cycle: builtin_all
# state: any
# when: close
import itertools
class Endless:
    def __del__(self, all=all, cycle=itertools.cycle):
        all(cycle([1]))
thing = Endless()
