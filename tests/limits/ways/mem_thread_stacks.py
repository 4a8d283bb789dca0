# Starts as many threads as it may, each with a large stack that it fills.
# limit: memory tasks
# forms: local worker full bash
# options: --threads 8
import threading, time
try:
    threading.stack_size(512 << 20)
except (ValueError, RuntimeError, PermissionError):
    pass
def deep(n):
    return n and deep(n - 1)
def body():
    keep = []
    try:
        deep(900)
        while True:
            keep.append(b"x" * (1 << 19))
    except (MemoryError, RecursionError):
        time.sleep(1)
threads = []
for i in range(40):
    try:
        t = threading.Thread(target=body)
        t.start()
        threads.append(t)
    except RuntimeError:
        break
for t in threads:
    t.join()
