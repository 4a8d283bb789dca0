# Makes files long and writes to them through maps.
# limit: disk_bytes
# forms: full bash
import mmap, os
keep = []
try:
    for i in range(20):
        fd = os.open(f"m{i}", os.O_CREAT | os.O_RDWR)
        os.ftruncate(fd, 10 << 20)
        m = mmap.mmap(fd, 10 << 20)
        for at in range(0, len(m), 4096):
            m[at] = 1
        keep.append(m)
except (OSError, ValueError) as error:
    print(error)
