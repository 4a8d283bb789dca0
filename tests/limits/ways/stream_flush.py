# Writes and flushes, a hundred thousand times.
# limit: output
# forms: local worker full bash
for i in range(100_000):
    print(i, flush=True)
