# Has libcrypto take what scrypt asks for.
# limit: memory
# forms: local worker full bash
import hashlib
hashlib.scrypt(b"x", salt=b"y" * 8, n=2 ** 20, r=8, p=1, maxmem=2 ** 31 - 1)
