# dict() of an endless iterator of one pair.
# expect: rung 3 the loop of dict.update over pairs: PyDict_MergeFromSeq2
# state: lost
# when: run
import itertools
dict(itertools.repeat(("a", 1)))
