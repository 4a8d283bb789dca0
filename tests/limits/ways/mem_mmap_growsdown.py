# Maps memory as a stack, which RLIMIT_DATA does not count.
# limit: memory
# forms: full bash
# quick:
import mmap, time
m = mmap.mmap(-1, 500 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)
for i in range(0, len(m), 4096):
    m[i] = 1
time.sleep(0.5)
