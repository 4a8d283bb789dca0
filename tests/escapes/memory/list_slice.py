# An extended slice of a list is set to what empties the list when it is iterated: wrote past what was left of it.
# expect: ok
# only: 3.11
items = list(range(64))
class Values:
    def __iter__(self):
        del items[1:]
        return iter(range(32))
try:
    items[::2] = Values()
except ValueError:
    pass
else:
    raise AssertionError(f"32 items were written into {len(items)}")
assert items == [0]
items[:] = Values()
assert items == list(range(32))
