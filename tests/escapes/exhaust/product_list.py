# A list of all products.
# expect: memory
import itertools
list(itertools.product(range(100), repeat=10))
