# operator.countOf in an endless iterator.
# expect: rung 1
import itertools, operator
operator.countOf(itertools.repeat(1), 2)
