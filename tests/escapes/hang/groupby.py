# Skips an endless group in itertools.groupby.
# expect: rung 3 the skipping of groupby: groupby_step
# state: lost
# when: run
import itertools
groups = itertools.groupby(itertools.repeat(1))
next(groups)
next(groups)
