# Has iterators in C call each other hundreds of thousands deep, which nothing counts, with the heap full.
# limit: memory
# forms: local worker full bash
it = iter(range(3))
for i in range(450_000):
    it = map(abs, it)
keep = []
try:
    while True:
        keep.append(b"x" * (1 << 18))
except MemoryError:
    pass
next(it)
