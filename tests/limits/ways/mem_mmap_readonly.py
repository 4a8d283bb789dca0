# Maps memory read-only, so that it is not data, and makes it writable afterwards in pieces.
# limit: memory
# forms: full bash
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
done = 0
for i in range(120):
    p = libc.mmap(None, 4 << 20, 1, 0x22, -1, 0)
    if not p or p == ctypes.c_void_p(-1).value or libc.mprotect(p, 4 << 20, 3):
        break
    ctypes.memset(p, 1, 4 << 20)
    libc.mprotect(p, 4 << 20, 1)
    done += 4
print(done)
time.sleep(0.5)
