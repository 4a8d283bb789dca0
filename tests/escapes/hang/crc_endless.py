# Checksums of the same bytes for ever, without a line of Python.
# expect: rung 3 the loop of all over zlib.crc32: builtin_all
# state: any
# when: run
import itertools, zlib
all(map(zlib.crc32, itertools.repeat(bytes(range(200)))))
