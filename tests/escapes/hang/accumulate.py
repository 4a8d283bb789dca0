# all over itertools.accumulate of ones that are multiplied.
# expect: rung 3 the loop of all over accumulate: builtin_all
# state: lost
# when: run
import itertools, operator
all(itertools.accumulate(itertools.repeat(1), operator.mul))
