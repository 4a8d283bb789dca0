# A loop in C that looks at nothing.
# limit: wall cpu
# forms: local worker full bash
import collections, itertools
collections.deque(itertools.repeat(1), 0)
