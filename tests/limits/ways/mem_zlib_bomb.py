# Unpacks a thousand times what it has, at once and with compressors kept.
# limit: memory
# forms: local worker full bash
import zlib
small = zlib.compress(bytes(20 << 20), 9)
big = zlib.compress(small * 40, 0)
keep = []
while True:
    keep.append(zlib.decompress(small))
