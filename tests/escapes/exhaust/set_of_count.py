# A set of endlessly many numbers: grows in C.
# expect: memory
# state: kept
# when: run
import itertools
set(itertools.count())
