# The handler of the interrupt goes on in a loop in C.
# expect: rung 1
import itertools
try:
    while True:
        pass
except BaseException:
    all(itertools.cycle([1]))
