# Threads that compute without the GIL.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
import hashlib
for i in range(60):
    try:
        threading.Thread(target=hashlib.pbkdf2_hmac, args=('sha256', b'x', b'y', 300_000)).start()
    except Exception:
        break
