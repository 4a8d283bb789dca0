# Opens and writes by system calls of its own, past the functions that ask.
# limit: disk_bytes disk_files
# forms: full bash
# quick:
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
data = b"x" * (1 << 20)
done = 0
for i in range(400):
    fd = libc.syscall(257, -100, b"r%d" % i, os.O_CREAT | os.O_RDWR, 0o600)
    if fd < 0:
        break
    done += 1
    if i < 150:
        libc.syscall(1, fd, data, len(data))
    libc.syscall(3, fd)
print(done)
