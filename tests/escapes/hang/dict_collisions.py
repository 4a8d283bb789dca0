# A set of integers that all have the same hash: quadratic probing.
# expect: rung 1
modulus = 2**61 - 1
set(map(modulus.__mul__, range(300_000)))
