# functools.cmp_to_key with a comparison that never answers.
# expect: rung 1
# when: sort key
import functools
sorted(range(10), key=functools.cmp_to_key(lambda a, b: [0 for _ in iter(int, 1)]))
