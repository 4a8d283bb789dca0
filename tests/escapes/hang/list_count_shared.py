# list.count of a nested list that shares its parts.
# expect: rung 3 the comparison of lists below list.count: list_richcompare
# state: lost
# when: run
def nest(x):
    for _ in range(60):
        x = [x, x]
    return x
[nest(0)].count(nest(0.0))
