# max over an endless count.
# expect: rung 2
# state: kept
# when: run
import itertools
max(itertools.count(1000))
