# Compares nested lists that share their parts: ten to the twelfth elements.
# expect: rung 2
# expect 3.13: rung 3 the comparison of lists: list_richcompare
# state 3.13: any
def nest(x):
    for _ in range(4):
        x = [x] * 1000
    return x
nest([0]) == nest([0.0])
