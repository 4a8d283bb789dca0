# struct packs ten thousand million pad bytes.
# expect: memory
import struct
struct.pack("10000000000x")
