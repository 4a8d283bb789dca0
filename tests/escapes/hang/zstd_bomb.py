# A frame of zstd that is a thousand times as long when it is read, again and again.
# expect: memory or ok or rung 3 the decoder of libzstd: ZSTD_decompressStream
# state: any
# only: 3.14+
# profile: data
import compression.zstd as zstd
packed = zstd.compress(bytes(1 << 26))
while True:
    packed = zstd.compress(zstd.decompress(packed))
