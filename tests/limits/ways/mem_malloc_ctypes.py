# Calls malloc, mremap and brk itself.
# limit: memory
# forms: full bash
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
libc.malloc.restype = ctypes.c_void_p
libc.sbrk.restype = ctypes.c_void_p
got = 0
for size in (64 << 20, 1 << 20, 100_000):
    while got < 500 << 20:
        p = libc.malloc(size)
        if not p:
            break
        ctypes.memset(p, 1, size)
        got += size
while got < 600 << 20:
    p = libc.sbrk(1 << 20)
    if p in (None, ctypes.c_void_p(-1).value):
        break
    ctypes.memset(p, 1, 1 << 20)
    got += 1 << 20
print(got >> 20)
time.sleep(0.5)
