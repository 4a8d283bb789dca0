# Makes as many maps as there may be: a page each, with another protection beside it.
# limit: memory
# forms: full bash
import mmap, time
keep = []
try:
    while len(keep) < 66_000:
        keep.append(mmap.mmap(-1, 4096, prot=mmap.PROT_READ if len(keep) % 2 else mmap.PROT_READ | mmap.PROT_WRITE,
                              flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
except OSError:
    pass
print(len(keep))
time.sleep(0.5)
