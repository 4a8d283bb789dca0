# Takes a lock twice.
# expect: rung 1
# state: kept
# when: run
import queue
lock = queue.threading.Lock()
lock.acquire()
lock.acquire()
