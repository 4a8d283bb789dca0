# Reads a page every 2 MiB of a map of a TiB: page tables.
# limit: memory
# forms: full bash
# quick:
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
size = 1 << 40
p = libc.mmap(None, size, 1, 0x2 | 0x20 | 0x4000, -1, 0)
libc.madvise(p, size, 15)
end = time.time() + 3
for at in range(p, p + size, 2 << 20):
    ctypes.c_char.from_address(at).value
    if time.time() > end:
        break
print((at - p) >> 21)
