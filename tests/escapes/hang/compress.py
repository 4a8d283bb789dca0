# itertools.compress whose selectors are never true.
# expect: rung 3 the loop of compress: compress_next
# state: lost
# when: run
import itertools
next(itertools.compress(itertools.repeat(1), itertools.repeat(0)))
