# The handler of the interrupt sleeps, the handler of that one waits for a lock.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue, time
lock = queue.threading.Lock()
lock.acquire()
try:
    time.sleep(1e6)
except BaseException:
    try:
        time.sleep(1e6)
    except BaseException:
        lock.acquire()
