# A list of all permutations of fifteen things.
# expect: memory
import itertools
list(itertools.permutations(range(15)))
