# A key that takes a gigabyte to derive.
# expect: memory
import hashlib
hashlib.scrypt(b"x", salt=b"y" * 8, n=2**20, r=8, p=4, maxmem=2**31 - 1)
# %%
hashlib.scrypt(b"x", salt=b"y" * 8, n=2**12, r=8, p=1).hex()[:4]
