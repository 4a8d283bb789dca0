# Writes by vectors and at places: writev, pwritev, pwrite.
# limit: disk_bytes
# forms: local worker full bash
import os
done = 0
try:
    for i in range(60):
        fd = os.open(f"v{i}", os.O_CREAT | os.O_RDWR)
        if hasattr(os, "writev"):
            os.writev(fd, [b"x" * 100_000] * 10)
        if hasattr(os, "pwritev"):
            os.pwritev(fd, [b"x" * 100_000] * 10, 1_000_000)
        os.pwrite(fd, b"x" * 100_000, 2_000_000)
        done += 1
except OSError as error:
    print(error)
print(done)
