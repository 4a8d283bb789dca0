# issubclass with a nested tuple of classes that shares its parts.
# expect: rung 2
# expect 3.13: rung 3 the walk through the tuple: object_issubclass
# state 3.13: any
t = (ValueError,)
for _ in range(60):
    t = (t, t)
issubclass(KeyError, t)
