# functools.reduce of max over an endless iterator.
# expect: rung 1
import functools, itertools, operator
functools.reduce(operator.and_, itertools.repeat(1))
