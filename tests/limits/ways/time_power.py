# A power of an integer with millions of digits.
# limit: wall cpu
# forms: local worker full bash
x = 7 ** (10 ** 8)
