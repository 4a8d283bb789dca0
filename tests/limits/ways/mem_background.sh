# A background job that waits for the end of the cell, and takes shared memory then.
# limit: memory
# quick:
# after: 3
cat >hog.py <<'END'
import mmap, time
time.sleep(0.5)
m = mmap.mmap(-1, 600 << 20)
for i in range(0, len(m), 4096):
    m[i] = 1
time.sleep(20)
END
(python3 hog.py >/dev/null 2>&1 &)
# %% wait 2
# %% cell
echo after
