# Looks for a nested list in a list.
# expect: rung 2
# expect 3.13: rung 3 the comparison of lists below `in`: list_richcompare
# state 3.13: any
def nest(x):
    for _ in range(60):
        x = [x, x]
    return x
nest(0) in [nest(1), nest(0.0)]
