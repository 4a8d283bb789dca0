# json.loads for ever, driven from C.
# expect: rung 1
import collections, itertools, json
collections.deque(map(json.loads, itertools.repeat('{"a": [1, 2.5, "x"]}')), maxlen=0)
