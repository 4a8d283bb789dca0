# statistics.mean of an endless iterator.
# expect: rung 1
import itertools, statistics
statistics.mean(itertools.repeat(1))
