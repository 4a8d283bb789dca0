# Iterators are asked for the next item, or given a state, by the code that they call: what it freed was used.
# expect: ok
import collections, itertools, operator
def refuse(call):
    global refused
    try:
        call()
    except RuntimeError as error:
        refused += "has not returned yet" in str(error)
class Value:
    def __index__(self):
        return 1
    def __add__(self, other):
        refuse(lambda: next(outer))
        return 7
class Items:
    def __getitem__(self, index):
        refuse(lambda: next(outer, None))
        raise IndexError
class Key:
    def __hash__(self):
        return 1
    def __eq__(self, other):
        if outer:
            refuse(lambda: next(outer, None))
        return self is other
def again(value):
    refuse(lambda: next(outer, None))
def give(state):
    return filter(lambda value: refuse(lambda: outer.__setstate__(state)), [1])
outer = None
ordered = collections.OrderedDict.fromkeys([Key(), Key()])
class Number:
    def __sub__(self, other):
        refuse(lambda: outer.__setstate__(0))
        return 1
empty = iter(()), iter(())
made = [itertools.count(Value(), 2), itertools.cycle(filter(again, [1])), itertools.chain(filter(again, [1])),
        itertools.pairwise(filter(again, [1])), iter(Items()), iter(ordered.items()),
        itertools.accumulate([Number(), 1], operator.sub)]
if hasattr(itertools.chain, "__setstate__"):
    made += [itertools.chain(give(empty)), itertools.cycle(give(([], 0)))]
for outer in made:
    refused = 0
    list(itertools.islice(outer, 2))
    assert refused or (type(outer) is itertools.accumulate and not hasattr(outer, "__setstate__")), outer
outer = None
assert list(itertools.chain([1], [2])) == [1, 2] and next(itertools.count(1.5)) == 1.5
# The method in C of a callable iterator goes on when the iterator is exhausted in its midst.
class Left:
    is_dead = False
    def __sub__(self, other):
        if other.has_asked:
            return 99
        other.has_asked = True
        next(calls, None)
        return NotImplemented
    def __del__(self):
        Left.is_dead = True
class Right:
    has_asked = False
    def __rsub__(self, other):
        assert not Left.is_dead, "called with what is freed"
        return 1
import functools
calls = iter(functools.partial(operator.sub, Left(), Right()), 99)
try:
    next(calls)
except (StopIteration, SystemError):  # from CPython: its sentinel is gone; 3.13 ends
    pass
