# Hash objects of OpenSSL: memory that no allocator of Python sees.
# expect: memory or rung 1
# state: kept
# when: run
# limit-ms: 3000
import hashlib
hashes = []
while True:
    hashes.append(hashlib.new("sha512", b"x"))
