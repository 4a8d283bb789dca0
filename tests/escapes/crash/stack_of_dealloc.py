# Ten million tuples in tuples are freed at once.
# expect: ok or memory
# only: 3.14+
a = None
for _ in range(1_000_000):
    a = filter(None, iter((a,)))
del a
