# operator.indexOf in an endless iterator: ends as an overflow after 2**63 steps.
# expect: rung 1
import itertools, operator
operator.indexOf(itertools.repeat(1), 2)
