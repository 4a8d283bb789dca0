# Fills pipes with 64 KiB each, by system calls of its own.
# limit: memory
# forms: full bash
# quick:
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
fds, buffer, count = (ctypes.c_int * 2)(), b"x" * 65536, 0
while count < 9000 and libc.syscall(293, fds, 0x800) == 0:
    count += 1
    while libc.syscall(1, fds[1], buffer, 65536) > 0:
        pass
print(count)
time.sleep(0.5)
