# A list of all permutations of fifteen things.
# expect: memory
# state: kept
# when: run
import itertools
list(itertools.permutations(range(15)))
