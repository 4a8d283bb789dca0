# Waits for a lock that is held, and again after each interrupt.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
lock = queue.threading.Lock()
lock.acquire()
while True:
    try:
        lock.acquire()
    except BaseException:
        pass
