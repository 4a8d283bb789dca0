# The hash of a frozendict half a million deep.
# expect: ok or crash or memory or recursion
# state: any
# only: 3.15+
d = frozendict()
for _ in range(500_000):
    d = frozendict(a=d)
hash(d)
