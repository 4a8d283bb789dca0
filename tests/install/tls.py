"""A library has few thread-locals: one that is loaded late gets them from what glibc has left of the
static ones, some 1,600 bytes for all libraries of a process (dlopen: "cannot allocate memory in
static TLS block").

tls.py LIBRARY
"""
import struct
import sys

MOST_BYTES = 64
PT_TLS = 7


def tls_bytes(library):
    """The size of the thread-locals of an ELF file of 64 bits, little-endian (elf(5))."""
    with open(library, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        sys.exit(f"{library}: not such a file")
    at, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = (struct.unpack_from("<II6Q", data, at + i * size) for i in range(count))
    return sum(header[6] for header in headers if header[0] == PT_TLS)


def main():
    found = tls_bytes(sys.argv[1])
    print(f"{sys.argv[1]}: {found} bytes of thread-locals, {MOST_BYTES} at most")
    sys.exit(found > MOST_BYTES)


main()
