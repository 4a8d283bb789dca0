# all over iter(function, sentinel) of a C function.
# expect: rung 1
all(iter("x".islower, False))
