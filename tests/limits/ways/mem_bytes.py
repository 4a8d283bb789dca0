# Keeps strings of bytes until no more are given.
# limit: memory
# forms: local worker full bash
# quick:
keep = []
while True:
    keep.append(b"x" * (1 << 20))
