# tuple.index of a nested tuple.
# expect: rung 2
# expect 3.13: rung 3 the comparison of tuples below tuple.index: tuplerichcompare
# state 3.13: any
def nest(x):
    for _ in range(60):
        x = (x, x)
    return x
(nest(0),).index(nest(0.0))
