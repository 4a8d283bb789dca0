# Two thousand million rounds of hashing, in OpenSSL.
# expect: rung 3 PKCS5_PBKDF2_HMAC of libcrypto
# expect short: rung 4
# state: any
import hashlib
hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 2_000_000_000)
