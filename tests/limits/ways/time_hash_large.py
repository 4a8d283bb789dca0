# Hashes tuples that share their parts.
# limit: wall cpu
# forms: local worker full bash
t = ()
for i in range(50):
    t = slice(t, t) if slice.__hash__ else (t, t)  # 3.14 remembers the hash of a tuple
hash(t)
