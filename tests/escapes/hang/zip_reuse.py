# all over zip of endless iterators: the one tuple is used again and again.
# expect: rung 1
import itertools
all(zip(itertools.repeat(1), itertools.cycle([1, 2])))
