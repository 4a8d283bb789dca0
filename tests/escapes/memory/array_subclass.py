# The same by a subclass of array, whose slots are copies of its base's.
# expect: ok
import array
class Items(array.array):
    pass
items = Items("Q", [0] * 64)
class Value:
    def __index__(self):
        del items[1:]
        return 7
try:
    items[13] = Value()
except IndexError:
    pass
else:
    raise AssertionError("item 13 of one was set")
assert len(items) == 1
