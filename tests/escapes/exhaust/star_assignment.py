# Unpacks an endless iterator into a starred name.
# expect: memory
import itertools
first, *rest = itertools.count()
