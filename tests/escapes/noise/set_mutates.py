# Set operations whose comparisons clear both sets.
# expect: ok or error or crash
# state: any
class Key:
    def __hash__(self):
        return 1
    def __eq__(self, other):
        a.clear()
        b.clear()
        return False
for _ in range(2000):
    a, b = {Key()}, {Key()}
    a |= {Key(), 1, 2}
    b |= {Key(), 1, 2}
    a.symmetric_difference_update(b)
    a <= b
    a & b
