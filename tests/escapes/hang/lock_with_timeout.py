# Takes a lock twice, with a time-out of a year.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
lock = queue.threading.Lock()
lock.acquire()
lock.acquire(timeout=365 * 86400)
