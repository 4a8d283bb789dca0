# The same with zlib: a window of what almost matches.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import zlib
zlib.compress(b"a" * 257 * 100_000 + b"b", 9)
zlib.decompress(zlib.compress(bytes(30 << 20)))
