# The repr and the comparison of frozendicts that are deep, and their end.
# expect: ok or crash or memory or recursion
# state: any
# only: 3.15+
def deep():
    d = frozendict()
    for _ in range(200_000):
        d = frozendict(a=d)
    return d
one, other = deep(), deep()
try:
    one == other
except RecursionError:
    pass
repr(one)
