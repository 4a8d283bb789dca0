# Threads that never end, each in its own way.
# limit: wall cpu
# forms: local worker full bash
# options: --threads 6
# after: 3
import threading, time, itertools, collections, re
def loop():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
for f in (loop, lambda: time.sleep(100), lambda: collections.deque(itertools.repeat(1), 0),
          lambda: re.match("(a|a)*b", "a" * 40), threading.Lock().acquire, threading.Event().wait):
    try:
        threading.Thread(target=f).start()
    except RuntimeError:
        break
