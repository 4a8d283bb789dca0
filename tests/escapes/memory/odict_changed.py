# An OrderedDict that __eq__ empties while a key is looked up: its nodes were freed and then used.
# expect: ok
import collections
class Key:
    def __hash__(self):
        return 1
class Trigger(Key):
    def __eq__(self, other):
        global refused
        try:
            table.clear()
        except RuntimeError:
            refused += 1
        return True
    __hash__ = Key.__hash__
def delete():
    del table[Trigger()]
for attack in (delete, lambda: table.pop(Trigger()), lambda: table.move_to_end(Trigger()),
               lambda: table.setdefault(Trigger())):
    table = collections.OrderedDict([(Key(), 1), (2, 3)])
    refused = 0
    attack()
    assert refused, attack
class Table(collections.OrderedDict):
    def __getitem__(self, key):
        global refused
        try:
            self.clear()
        except RuntimeError:
            refused += 1
        return 1
refused = 0
assert len(Table([(1, 2), (3, 4)]).copy()) == 2 and refused == 2
table = collections.OrderedDict(a=1)
table.update(b=2)
table |= {"c": 3}
assert list(table) == ["a", "b", "c"]
