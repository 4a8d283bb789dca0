# A key's __eq__ clears the dict that is being searched, thousands of times.
# expect: ok or error
import random
class Key:
    def __hash__(self):
        return 1
    def __eq__(self, other):
        if random.random() < 0.3:
            table.clear()
        return random.random() < 0.1
table = {}
for n in range(20_000):
    table[Key()] = n
    if len(table) > 20:
        table.update({Key(): 1})
        table.pop(Key(), None)
