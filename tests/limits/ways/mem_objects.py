# Keeps small objects, which the object allocator has in arenas.
# limit: memory
# forms: local worker full bash
keep = []
while True:
    keep.append((len(keep), str(len(keep))))
