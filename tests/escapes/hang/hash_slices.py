# The hash of slices in slices, which no slice keeps: a call in C without allocations or polls.
# expect: rung 3 the hash of a slice
# state: lost
# only: 3.14+
t = slice(1)
for _ in range(80):
    t = slice(t, t)
hash(t)
