# What bytearray.take_bytes hands on without a copy, all held.
# expect: memory
# only: 3.15+
held = []
while True:
    buffer = bytearray(1 << 20)
    held.append(buffer.take_bytes())
