# array.__setitem__ with an __index__ that makes the array shorter: wrote 104 bytes past its start, into others' memory.
# expect: ok
import array
items = array.array("Q", [0] * 64)
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
# %%
import operator
class Number:
    def __float__(self):
        del numbers[1:]
        return 7.0
for set_item in (operator.setitem, array.array.__setitem__, lambda a, i, v: a.__setitem__(i, v)):
    numbers = array.array("d", [0] * 64)
    try:
        set_item(numbers, 13, Number())
    except IndexError:
        continue
    raise AssertionError("item 13 of one was set")
