# map over map on a thread: next() recurses in C without a check.
# expect: crash or recursion or memory or ok
# expect short: died or recursion or memory or ok
# state: any
# threads: 1
import threading
def recurse():
    it = iter([1])
    for _ in range(1_000_000):
        it = map(int, it)
    next(it)
threading.Thread(target=recurse).start()
