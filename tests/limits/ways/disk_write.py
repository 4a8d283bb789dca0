# Writes one file until it is refused, and another one then.
# limit: disk_bytes
# forms: local worker full bash
# quick:
for i in range(100):
    try:
        with open(f"f{i}", "wb") as f:
            while True:
                f.write(b"x" * (1 << 20))
    except OSError:
        pass
