# operator.countOf in an endless iterator.
# expect: rung 1
# state: kept
# when: run
import itertools, operator
operator.countOf(itertools.repeat(1), 2)
