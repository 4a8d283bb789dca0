# A set of endlessly many numbers: grows in C.
# expect: memory
import itertools
set(itertools.count())
