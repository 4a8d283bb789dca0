# functools.reduce of max over an endless iterator.
# expect: rung 3 the loop of reduce: functools_reduce
# state: lost
# when: run
import functools, itertools, operator
functools.reduce(operator.and_, itertools.repeat(1))
