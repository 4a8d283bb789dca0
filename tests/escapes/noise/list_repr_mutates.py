# An element's repr empties the list that is being shown.
# expect: ok
# when: repr
class Empties:
    def __repr__(self):
        items.clear()
        return "gone"
items = [Empties() for _ in range(100)]
items
