# A thread of machine code's own, which no Python knows, that maps memory after the cell.
# limit: memory
# forms: full
# after: 3
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
started = ctypes.c_ulong()
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
keep = []
def body(_):
    import time
    time.sleep(0.7)
    try:
        for i in range(60):
            m = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            m.write(bytes(8 << 20))
            keep.append(m)
    except OSError:
        pass
    return None
call = CALLBACK(body)
print(libc.pthread_create(ctypes.byref(started), None, call, None))
# %% wait 2
