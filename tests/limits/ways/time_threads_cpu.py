# Threads that share the processor time of a cell: long calls in C without the GIL.
# limit: cpu
# forms: local worker full bash
# options: --threads 6
# after: 3
import threading, hashlib
for i in range(6):
    threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"x", b"y", 10 ** 8)).start()
