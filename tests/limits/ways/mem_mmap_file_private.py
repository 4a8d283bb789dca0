# Maps a file privately and writes to the copies.
# limit: memory
# forms: full bash
# options: --disk 20MB
import mmap, time
with open("f", "wb") as f:
    f.write(bytes(15 << 20))
keep = []
f = open("f", "r+b")
for i in range(30):
    m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)
    for j in range(0, len(m), 4096):
        m[j] = 1
    keep.append(m)
time.sleep(0.5)
