# A dict of endlessly many pairs: grows in C.
# expect: memory
# state: kept
# when: run
import itertools
dict(zip(itertools.count(), itertools.count()))
