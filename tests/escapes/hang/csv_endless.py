# csv.reader over endless lines, its rows thrown away.
# expect: rung 2
import collections, csv, itertools
collections.deque(csv.reader(itertools.repeat("alpha,beta,gamma delta epsilon")), maxlen=0)
