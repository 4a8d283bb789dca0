# Two threads wait for each other's lock.
# expect: rung 1
# expect short: rung 4
# state short: any
# threads: 2
import threading
first, second, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
def take(one, other):
    with one:
        both.wait()
        other.acquire()
threading.Thread(target=take, args=(first, second)).start()
threading.Thread(target=take, args=(second, first)).start()
