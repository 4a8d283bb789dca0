# Maps shared memory, which is not data of the process, and touches it.
# limit: memory
# forms: full bash
import mmap, time
m = mmap.mmap(-1, 500 << 20)
for i in range(0, len(m), 4096):
    m[i] = 1
time.sleep(0.5)
