# Packers with the largest window: memory of zlib that no allocator of Python sees.
# expect: memory
import zlib
packers = []
while True:
    packers.append(zlib.compressobj(9, zlib.DEFLATED, 15, 9))
    packers[-1].compress(b"x" * 1000)
