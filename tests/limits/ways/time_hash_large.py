# Hashes tuples that share their parts.
# limit: wall cpu
# forms: local worker full bash
t = ()
for i in range(50):
    t = (t, t)
hash(t)
