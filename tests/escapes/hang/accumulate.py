# all over itertools.accumulate of ones that are multiplied.
# expect: rung 1
import itertools, operator
all(itertools.accumulate(itertools.repeat(1), operator.mul))
