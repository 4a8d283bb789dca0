# statistics.mean of an endless iterator.
# expect: rung 1
# state: kept
# when: run
import itertools, statistics
statistics.mean(itertools.repeat(1))
