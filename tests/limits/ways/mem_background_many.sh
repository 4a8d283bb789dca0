# Background jobs that take what one process may have each, when the cell has ended.
# limit: memory
# after: 3
cat >hog.py <<'END'
import time
time.sleep(0.5)
b = bytearray(b"x" * (40 << 20))
time.sleep(20)
END
for i in {1..20}; do python3 hog.py >/dev/null 2>&1 & done
# %% wait 2
# %% cell
echo after
