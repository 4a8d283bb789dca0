# Compares nested dicts that share their parts.
# expect: rung 2
# expect 3.13: rung 3 the comparison of dicts: dict_equal
# state 3.13: any
def nest(x):
    for _ in range(60):
        x = {1: x, 2: x}
    return x
nest(0) == nest(0.0)
