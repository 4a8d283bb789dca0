# operator.countOf in an endless iterator.
# expect: rung 3 the search in an iterator: _PySequence_IterSearch
# state: lost
# when: run
import itertools, operator
operator.countOf(itertools.repeat(1), 2)
