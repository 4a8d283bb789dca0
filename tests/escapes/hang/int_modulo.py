# The remainder of integers of millions of bits.
# expect: rung 1
# state: kept
# when: run
a, b = (1 << 60_000_000) - 1, (1 << 20_000_000) - 3
rest = a % b
