# A list of all products.
# expect: memory
# state: kept
# when: run
import itertools
list(itertools.product(range(100), repeat=10))
