# Makes room by cutting files whose other end is still written, back and forth.
# limit: disk_bytes
# forms: local worker full bash
import os
a = os.open("a", os.O_CREAT | os.O_RDWR)
b = os.open("b", os.O_CREAT | os.O_RDWR)
try:
    for i in range(60):
        os.pwrite(a, b"x" * (8 << 20), 0)
        os.ftruncate(a, 0)
        os.pwrite(b, b"y" * (4 << 20), i << 22)
        os.pwrite(a, b"x" * 100, 8 << 20)
except OSError as error:
    print(error)
