# Copies within the kernel: sendfile, copy_file_range, splice.
# limit: disk_bytes
# forms: full bash
import os
with open("s", "wb") as f:
    f.write(b"x" * (8 << 20))
s = os.open("s", os.O_RDONLY)
for name in ("copy_file_range", "sendfile"):
    for i in range(20):
        fd = os.open(f"{name}{i}", os.O_CREAT | os.O_RDWR)
        try:
            if name == "sendfile":
                os.sendfile(fd, s, 0, 8 << 20)
            else:
                os.copy_file_range(s, fd, 8 << 20, 0, 0)
        except (OSError, AttributeError) as error:
            print(name, error)
            break
