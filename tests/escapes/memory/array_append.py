# array.append, insert and extend with an __index__ that empties the array at its second call: wrote through a null or stale pointer.
# expect: ok
import array
class Value:
    calls = 0
    def __index__(self):
        self.calls += 1
        if self.calls == 2:
            del items[:]
        return 7
for add in ("items.append(value)", "items.insert(3, value)", "items.extend([value])",
            "items.__iadd__(array.array('Q', [int(Value())])); items.extend(iter([value]))"):
    items = array.array("Q", [0] * 64)
    value = Value()
    exec(add)
    assert value.calls == 1, (add, value.calls)
    assert items.count(7) >= 1 and len(items) >= 65
