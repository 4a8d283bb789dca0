# Checksums of the same bytes for ever, without a line of Python.
# expect: rung 1
import itertools, zlib
all(map(zlib.crc32, itertools.repeat(bytes(range(200)))))
