# Leaves blocks of libcrypto's behind by ending in the midst of scrypt, round after round.
# limit: memory
# options: --timeout 0.7s
# rounds: 4
import hashlib
hashlib.scrypt(b"x", salt=b"y" * 8, n=2 ** 18, r=8, p=16, maxmem=2 ** 31 - 1)
# %% reset
