# Lays out space beyond the end of files, so that their sizes stay 0.
# limit: disk_bytes
# forms: full bash
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for i in range(40):
    fd = os.open(f"f{i}", os.O_CREAT | os.O_RDWR)
    if libc.syscall(285, fd, 1, ctypes.c_long(0), ctypes.c_long(10 << 20)) < 0:
        print(os.strerror(ctypes.get_errno()))
        break
