# Makes integers of hundreds of millions of bits.
# limit: memory
# forms: local worker full bash
keep, x = [], 1
while True:
    x = (x << 80_000_000) | 1
    keep.append(x)
