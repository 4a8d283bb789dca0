# Keeps bytes, and goes on with smaller ones whenever they are refused.
# limit: memory
# forms: local worker full bash
keep, size = [], 1 << 22
while size:
    try:
        keep.append(b"x" * (size))
    except MemoryError:
        size >>= 1
while True:
    try:
        keep.append(object())
    except MemoryError:
        pass
