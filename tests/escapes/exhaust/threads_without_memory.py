# Starts threads while there is no memory left for them.
# expect: memory or ok
# threads: 2
import threading
def end():
    pass
start = getattr(threading, "_start_new_thread", None) or threading._start_joinable_thread
arguments = () if start.__name__ == "start_joinable_thread" else ((),)
held = []
try:
    while True:
        held.append(bytearray(1000))
except MemoryError:
    for _ in range(1000):
        try:
            start(end, *arguments)
        except (MemoryError, RuntimeError):
            pass
held.clear()
