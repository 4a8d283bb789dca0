# Keeps compressors with the largest windows.
# limit: memory
# forms: local worker full bash
import zlib
keep = []
while True:
    c = zlib.compressobj(9, zlib.DEFLATED, 15, 9)
    c.compress(b"x" * 1000)
    keep.append((c, zlib.decompressobj()))
