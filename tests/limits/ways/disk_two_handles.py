# Holds many handles of one file, each at its own place, and writes through all.
# limit: disk_bytes
# forms: local worker full bash
handles = [open("one", "ab", buffering=1 << 20) for _ in range(30)]
try:
    for h in handles:
        h.write(b"x" * ((1 << 20) - 1))
finally:
    for h in handles:
        try:
            h.close()
        except OSError:
            pass
