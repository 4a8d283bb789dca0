# struct packs ten thousand million pad bytes.
# expect: memory
# state: kept
# when: run
import struct
struct.pack("10000000000x")
