# Shuffles a range of lists for ever.
# expect: rung 1
import random
items = list(range(10**5))
while True:
    random.shuffle(items)
