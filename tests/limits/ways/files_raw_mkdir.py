# Makes folders and files by system calls of its own.
# limit: disk_files
# forms: full bash
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
done = 0
for i in range(2000):
    done += libc.syscall(83, b"k%d" % i, 0o700) == 0
    done += libc.syscall(258, -100, b"j%d" % i, 0o700) == 0
    done += libc.syscall(88, b"k0", b"y%d" % i) == 0
    fd = libc.syscall(85, b"c%d" % i, 0o600)
    if fd >= 0:
        libc.syscall(3, fd)
        done += 1
print(done)
