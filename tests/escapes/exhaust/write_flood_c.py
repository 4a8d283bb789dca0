# Writes to stdout for ever from C: map over its own write.
# expect: rung 2
import collections, itertools, sys
collections.deque(map(sys.stdout.write, itertools.repeat("x" * 1000)), maxlen=0)
