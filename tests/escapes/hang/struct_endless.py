# Consumes struct.iter_unpack over the same bytes for ever.
# expect: rung 2
import collections, itertools, struct
data = bytes(range(256)) * 4
collections.deque(itertools.chain.from_iterable(map(struct.Struct("<256I").unpack, itertools.repeat(data))), maxlen=0)
