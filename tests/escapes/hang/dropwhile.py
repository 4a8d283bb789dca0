# itertools.dropwhile whose condition, a C function, always holds.
# expect: rung 3 the loop of dropwhile: dropwhile_next
# state: lost
# when: run
import itertools
next(itertools.dropwhile(bool, itertools.repeat(1)))
