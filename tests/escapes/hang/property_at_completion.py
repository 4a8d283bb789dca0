# A property on the way to the completed name stands in a loop in C.
# expect: rung 1
# when: complete
import collections, itertools
class Thing:
    @property
    def inner(self):
        collections.deque(itertools.repeat(1), maxlen=0)
thing = Thing()
# %%
thing.inner.
