# Unpacks an endless iterator into a starred name.
# expect: memory
# state: kept
# when: run
import itertools
first, *rest = itertools.count()
