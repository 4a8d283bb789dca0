# any over combinations with replacement, each compared in C.
# expect: rung 3 the search in an iterator: _PySequence_IterSearch
# state: lost
# when: run
import itertools
(1,) in itertools.combinations_with_replacement(range(100), 20)
