# Holds deleted files open and is lost in a loop in C, round after round.
# limit: disk_bytes
# options: --timeout 0.6s
# rounds: 5
import os, collections, itertools
f = open("x", "wb", buffering=0)
f.write(b"x" * (14 << 20))
os.unlink("x")
collections.deque(itertools.repeat(1), 0)
# %% reset
