# max over an endless count.
# expect: rung 2
import itertools
max(itertools.count(1000))
