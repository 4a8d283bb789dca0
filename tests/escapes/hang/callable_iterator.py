# all over iter(function, sentinel) of a C function.
# expect: rung 1
# state: kept
# when: run
all(iter("x".islower, False))
