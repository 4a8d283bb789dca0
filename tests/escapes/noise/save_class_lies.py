# Classes whose names say that they are others.
# expect: ok
# when: save
import collections
class First:
    pass
First.__module__ = "io"
First.__qualname__ = First.__name__ = "open"
class Second:
    pass
Second.__module__ = "collections"
Second.__qualname__ = "OrderedDict"
class Third(type):
    __module__ = property(lambda cls: 1 / 0)
class Fourth(metaclass=Third):
    pass
lies = [First(), First], Second(), Fourth()
deque = collections.deque([1])
# %%
assert open.__name__ == "open" and list(deque) == [1] and collections.OrderedDict() == {}
