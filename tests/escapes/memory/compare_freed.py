# An item that __eq__ takes out of its deque, or context, is compared on: its reflected comparison was of a freed object.
# expect: ok
# expect short: ok or error or crash or died
import collections
import contextvars
class Item:
    is_dead = False
    def __eq__(self, other):
        take_out()
        return NotImplemented
    def __del__(self):
        Item.is_dead = True
class Other:
    def __eq__(self, other):
        assert not Item.is_dead, "compared with what is freed"
        return False
items = collections.deque()
take_out = items.clear
for search in (items.count, items.index, items.remove):
    items.append(Item())
    try:
        search(Other())
    except (RuntimeError, ValueError, IndexError):
        pass
    Item.is_dead = False
variable = contextvars.ContextVar("variable")
first, second = contextvars.Context(), contextvars.Context()
take_out = lambda: first.run(variable.set, None)
first.run(variable.set, Item())
second.run(variable.set, Other())
assert first != second
