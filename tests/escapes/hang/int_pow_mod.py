# pow with three arguments of a hundred thousand digits.
# expect: rung 1
# expect short: rung 4
# state short: any
n = (1 << 400_000) - 1
pow(3, n, n - 2)
