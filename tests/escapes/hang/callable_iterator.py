# all over iter(function, sentinel) of a C function.
# expect: rung 3 the loop of all over a callable iterator: builtin_all
# state: lost
# when: run
all(iter("x".islower, False))
