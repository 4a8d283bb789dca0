# dict() of an endless iterator of one pair.
# expect: rung 1
# state: kept
# when: run
import itertools
dict(itertools.repeat(("a", 1)))
