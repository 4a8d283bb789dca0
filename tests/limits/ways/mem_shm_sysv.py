# Asks for shared memory of System V.
# limit: memory
# forms: full bash
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
kept = 0
for i in range(10):
    s = libc.shmget(0, 50 << 20, 0o1600)
    if s < 0:
        break
    ctypes.memset(libc.shmat(s, None, 0), 1, 50 << 20)
    kept += 50
print(kept)
