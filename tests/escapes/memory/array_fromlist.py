# array.fromlist with an __index__ that empties the array: wrote through a null pointer plus an offset.
# expect: ok
import array
items = array.array("Q", [0] * 64)
class Value:
    def __index__(self):
        del items[:]
        return 7
items.fromlist([Value()])
assert items.tolist() == [7], items
items.fromlist([1, 2.0.__int__(), 3])
assert items.tolist() == [7, 1, 2, 3]
try:
    items.fromlist([4, "five"])
except TypeError:
    assert items.tolist() == [7, 1, 2, 3]
