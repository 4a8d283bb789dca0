# Asks for files without a name, by O_TMPFILE and by the module for it.
# limit: disk_bytes
# forms: local worker full bash
import os, tempfile
keep = []
try:
    for i in range(60):
        fd = os.open(".", getattr(os, "O_TMPFILE", 0o20200000) | os.O_RDWR, 0o600)
        os.write(fd, b"x" * (1 << 20))
        keep.append(fd)
except OSError as error:
    print(error)
try:
    for i in range(60):
        f = tempfile.TemporaryFile(dir=".")
        f.write(b"x" * (1 << 20))
        f.flush()
        keep.append(f)
except (OSError, AttributeError) as error:
    print(error)
print(len(keep))
