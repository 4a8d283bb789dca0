# Iterators in C that feed each other.
# limit: wall cpu
# forms: local worker full bash
import itertools
all(itertools.cycle(map(bool, [1])))
