# An alias whose part answers no tuple for its unpacked parameter: took any memory for a tuple's items.
# expect: ok
import array
items = array.array("Q", [1 << 30, id(bytearray), 1 << 62, 1 << 62, 0, 0, 0])
del items[1:]
class Part:
    __typing_is_unpacked_typevartuple__ = True
    def __typing_subst__(self, value):
        return items
alias = type(list[int])
for whole in (list[Part()], int | alias(Part(), (int,))):
    read = whole[int].__args__
    assert not any(isinstance(item, bytearray) for item in read)
