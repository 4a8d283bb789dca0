# Hash objects of OpenSSL: memory that no allocator of Python sees.
# expect: memory or rung 1
# expect 3.13: memory or rung 1 or error
# expect 3.14: memory or rung 1 or error
# expect 3.15: memory or rung 1 or error
# limit-ms: 3000
import hashlib
# Where OpenSSL is refused memory, 3.13 and newer take the hash for one that OpenSSL does not know: ValueError.
hashes = []
while True:
    hashes.append(hashlib.new("sha512", b"x"))
