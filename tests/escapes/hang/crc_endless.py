# Checksums of the same bytes for ever, without a line of Python.
# expect: rung 1
# state: kept
# when: run
import itertools, zlib
all(map(zlib.crc32, itertools.repeat(bytes(range(200)))))
