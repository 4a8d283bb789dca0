# Starts threads that start threads and end at once, so that a count may be late.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
end = time.time() + 2
def body(n):
    if time.time() < end:
        for i in range(3):
            try:
                threading.Thread(target=body, args=(n + 1,)).start()
            except RuntimeError:
                time.sleep(0.001)
body(0)
time.sleep(2)
