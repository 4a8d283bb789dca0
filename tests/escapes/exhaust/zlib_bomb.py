# Ten gigabytes of zeros, packed in ten megabytes.
# expect: memory
import zlib
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
head = packer.compress(bytes(10**6)) + packer.flush(zlib.Z_FULL_FLUSH)
block = packer.compress(bytes(10**6)) + packer.flush(zlib.Z_FULL_FLUSH)
zlib.decompress(head + block * 10_000 + packer.flush(), -15)
