# Skips an endless group in itertools.groupby.
# expect: rung 1
import itertools
groups = itertools.groupby(itertools.repeat(1))
next(groups)
next(groups)
