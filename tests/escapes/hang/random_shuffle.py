# Shuffles a range of lists for ever.
# expect: rung 1
# state: kept
# when: run
import random
items = list(range(10**5))
while True:
    random.shuffle(items)
