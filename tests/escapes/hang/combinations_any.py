# any over combinations with replacement, each compared in C.
# expect: rung 1
import itertools
(1,) in itertools.combinations_with_replacement(range(100), 20)
