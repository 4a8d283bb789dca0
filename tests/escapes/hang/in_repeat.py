# 2 in itertools.repeat(1).
# expect: rung 3 the search in an iterator: _PySequence_IterSearch
# state: lost
# when: run
import itertools
2 in itertools.repeat(1)
