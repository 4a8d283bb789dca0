# Passes endlessly many arguments.
# expect: memory
# state: kept
# when: run
import itertools
print(*itertools.count())
