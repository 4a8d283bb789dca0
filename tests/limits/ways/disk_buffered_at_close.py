# Leaves what is written in buffers, which finalizers write out when the session closes.
# limit: disk_bytes
keep = []
for i in range(40):
    f = open(f"b{i}", "wb", buffering=1 << 20)
    f.write(b"x" * ((1 << 20) - 1))
    keep.append(f)
# %% cell
del keep[:]
# %% cell
1
