# Eight sessions at once, each filling its memory: the limit is one session's.
# limit: sessions
# forms: local worker full bash
# %% at once 8
keep = []
try:
    while True:
        keep.append(b"x" * (1 << 20))
except MemoryError:
    pass
