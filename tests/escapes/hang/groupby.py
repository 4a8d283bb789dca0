# Skips an endless group in itertools.groupby.
# expect: rung 1
# state: kept
# when: run
import itertools
groups = itertools.groupby(itertools.repeat(1))
next(groups)
next(groups)
