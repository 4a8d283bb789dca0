# Passes endlessly many arguments.
# expect: memory
import itertools
print(*itertools.count())
