# A dict of endlessly many pairs: grows in C.
# expect: memory
import itertools
dict(zip(itertools.count(), itertools.count()))
