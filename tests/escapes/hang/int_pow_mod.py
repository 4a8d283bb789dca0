# pow with three arguments of a hundred thousand digits.
# expect: rung 1
# state: kept
# when: run
n = (1 << 400_000) - 1
pow(3, n, n - 2)
