# dict() of an endless iterator of one pair.
# expect: rung 1
import itertools
dict(itertools.repeat(("a", 1)))
