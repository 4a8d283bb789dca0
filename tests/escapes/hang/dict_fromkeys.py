# dict.fromkeys of an endless iterator of one thing.
# expect: rung 3 the loop of dict.fromkeys: _PyDict_FromKeys
# state: lost
# when: run
import itertools
dict.fromkeys(itertools.repeat(1))
