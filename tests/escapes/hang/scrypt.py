# scrypt with a thousand lanes, in OpenSSL.
# expect: rung 3 EVP_PBE_scrypt of libcrypto
# expect short: rung 4
# state: any
import hashlib
hashlib.scrypt(b"password", salt=b"salt", n=2**14, r=8, p=2000)
