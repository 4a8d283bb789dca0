# dict.fromkeys of an endless iterator of one thing.
# expect: rung 1
import itertools
dict.fromkeys(itertools.repeat(1))
