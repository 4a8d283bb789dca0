# The same through decompressobj, kept in pieces.
# expect: memory
import zlib
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
head = packer.compress(bytes(10**6)) + packer.flush(zlib.Z_FULL_FLUSH)
block = packer.compress(bytes(10**6)) + packer.flush(zlib.Z_FULL_FLUSH)
unpacker = zlib.decompressobj(-15)
pieces = [unpacker.decompress(head, 1000)]
while True:
    pieces.append(unpacker.decompress(unpacker.unconsumed_tail + block))
