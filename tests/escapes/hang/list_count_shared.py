# list.count of a nested list that shares its parts.
# expect: rung 2
# expect 3.13: rung 3 the comparison of lists below list.count: list_richcompare
# state 3.13: any
def nest(x):
    for _ in range(60):
        x = [x, x]
    return x
[nest(0)].count(nest(0.0))
