# Makes a file with a hole as long as may be, and fills holes of many others afterwards.
# limit: disk_bytes
# forms: local worker full bash
import os
fds = []
try:
    for i in range(90):
        fd = os.open(f"h{i}", os.O_CREAT | os.O_RDWR)
        os.ftruncate(fd, 15 << 20)
        fds.append(fd)
except OSError as error:
    print(error)
for fd in fds:
    try:
        for at in range(15):
            os.pwrite(fd, b"x" * (1 << 20), at << 20)
    except OSError as error:
        print(error)
        break
