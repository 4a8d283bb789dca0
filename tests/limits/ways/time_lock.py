# Waits for a lock that it has itself.
# limit: wall
# forms: local worker full bash
# options: --threads 2
import threading
lock = threading.Lock()
lock.acquire()
while True:
    try:
        lock.acquire()
    except BaseException:
        pass
