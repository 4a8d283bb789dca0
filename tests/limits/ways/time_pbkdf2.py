# The same by rounds, without memory.
# limit: wall cpu
# forms: local worker full bash
# quick:
# after: 3
import hashlib
hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10 ** 9)
