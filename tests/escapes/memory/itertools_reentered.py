# islice and zip_longest are asked for the next item by the iterator they ask: it was freed while it ran.
# expect: ok
import itertools
class Again:
    has_asked = False
    def __iter__(self):
        return self
    def __next__(self):
        global refused
        if self.has_asked:
            raise StopIteration
        self.has_asked = True
        try:
            next(outer, None)
        except RuntimeError:
            refused += 1
        raise StopIteration
for make in (lambda: itertools.zip_longest(itertools.chain(Again()), itertools.repeat(None)),
             lambda: itertools.islice(itertools.chain(Again()), 5, None)):
    refused = 0
    outer = make()
    next(outer, None)
    assert refused == 1
assert list(itertools.islice(itertools.count(), 3)) == [0, 1, 2]
