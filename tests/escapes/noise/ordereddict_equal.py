# OrderedDict.__eq__ while the comparison of a value clears the dict: a fault in 3.11.2.
# expect: crash or error or ok
# state: any
import collections
class Clears:
    def __eq__(self, other):
        a.clear()
        b.clear()
        return True
a = collections.OrderedDict((n, Clears()) for n in range(50))
b = collections.OrderedDict((n, Clears()) for n in range(50))
for _ in range(100):
    a == b
    a.update((n, Clears()) for n in range(50))
    b.update((n, Clears()) for n in range(50))
