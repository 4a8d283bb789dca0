# it.__reduce__ looks up a name whose comparison exhausts the iterator: writes to freed memory (3.11.2).
# expect: died or hang or crash or error or ok
# state: any
# only: 3.11
import builtins
it = iter([1, 2, 3])
class Name:
    def __hash__(self):
        return hash("iter")
    def __eq__(self, other):
        list(it)
        return other == "iter"
table = builtins.__dict__
original = table.pop("iter")
table[Name()] = original
try:
    it.__reduce__()
finally:
    for key in [key for key in table if type(key) is Name]:
        del table[key]
    table["iter"] = original
