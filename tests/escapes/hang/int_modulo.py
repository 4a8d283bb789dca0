# The remainder of integers of millions of bits.
# expect: rung 1
# expect short 3.11: hang
# expect short 3.13: rung 4
# expect short 3.14: rung 4
# state short 3.13: any
# state short 3.14: any
a, b = (1 << 60_000_000) - 1, (1 << 20_000_000) - 3
rest = a % b
