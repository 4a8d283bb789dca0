# deque.index and comparison while an __eq__ empties the deque.
# expect: ok or error or crash
# state: any
import collections
class Empties:
    def __eq__(self, other):
        d.clear()
        return NotImplemented
for _ in range(1000):
    d = collections.deque([Empties() for _ in range(100)])
    try:
        d.index(5)
    except (IndexError, RuntimeError, ValueError):
        pass
