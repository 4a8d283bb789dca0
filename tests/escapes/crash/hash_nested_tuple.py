# The hash of a tuple a hundred and ten thousand deep: no recursion check.
# expect: ok or crash or memory or recursion
# state: any
t = ()
for _ in range(500_000):
    t = (t,)
hash(t)
