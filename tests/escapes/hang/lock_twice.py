# Takes a lock twice.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
lock = queue.threading.Lock()
lock.acquire()
lock.acquire()
