# operator.indexOf in an endless iterator: ends as an overflow after 2**63 steps.
# expect: rung 3 the search in an iterator: _PySequence_IterSearch
# state: lost
# when: run
import itertools, operator
operator.indexOf(itertools.repeat(1), 2)
