# Keeps compressors of bz2 with 7.6 MiB each.
# limit: memory
# forms: local worker full bash
import bz2
keep = []
while True:
    keep.append(bz2.BZ2Compressor(9))
    keep[-1].compress(b"abc" * 400000)
