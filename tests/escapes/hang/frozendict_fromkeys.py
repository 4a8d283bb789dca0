# frozendict.fromkeys of an endless iterator of one thing.
# expect: rung 1
# only: 3.15+
import itertools
frozendict.fromkeys(itertools.repeat(1))
