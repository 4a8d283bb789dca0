# The handler of the interrupt goes on in a loop in C.
# expect: rung 3 all() over itertools.cycle: builtin_all
# state: lost
# when: run
import itertools
try:
    while True:
        pass
except BaseException:
    all(itertools.cycle([1]))
