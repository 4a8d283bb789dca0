# Asks for files in memory without a name.
# limit: memory
# forms: full bash
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for i in range(10):
    fd = libc.syscall(319, b"x", 0)
    if fd < 0:
        break
    for j in range(50):
        os.write(fd, bytes(1 << 20))
print(i)
