# A key that takes libcrypto minutes.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import hashlib
hashlib.scrypt(b"x", salt=b"y" * 8, n=2 ** 14, r=8, p=4000, maxmem=2 ** 31 - 1)
