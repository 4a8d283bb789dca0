# Compares lists that share their parts.
# limit: wall cpu
# forms: local worker full bash
a, b = [], []
for i in range(40):
    a, b = [a, a], [b, b]
a == b
