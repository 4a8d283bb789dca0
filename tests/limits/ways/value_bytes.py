# Bytes, bytearrays and memory views that are long.
# limit: value
bytearray(b"\x00" * 2_000_000)
# %% cell
b"\xff" * 2_000_000
# %% cell
[memoryview(b"x" * 100)] * 10_000
