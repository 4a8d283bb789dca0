# Has the system lay out space for files that have nothing in them.
# limit: disk_bytes
# forms: local worker full bash
import os
for i in range(40):
    try:
        fd = os.open(f"f{i}", os.O_CREAT | os.O_RDWR)
        os.posix_fallocate(fd, 0, 10 << 20)
    except (OSError, AttributeError) as error:
        print(error)
