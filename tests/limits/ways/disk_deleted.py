# Writes files that it has deleted and holds open.
# limit: disk_bytes
# forms: local worker full bash
# quick:
import os, time
keep = []
try:
    for i in range(200):
        f = open("x", "wb", buffering=0)
        os.unlink("x")
        keep.append(f)
        for j in range(10):
            f.write(b"x" * 100_000)
except OSError as error:
    print(error)
print(len(keep))
time.sleep(0.5)
