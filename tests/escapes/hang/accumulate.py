# all over itertools.accumulate of ones that are multiplied.
# expect: rung 1
# state: kept
# when: run
import itertools, operator
all(itertools.accumulate(itertools.repeat(1), operator.mul))
