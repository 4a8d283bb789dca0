# Threads that each start two more.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
def f(n):
    for i in range(2):
        try:
            if n:
                threading.Thread(target=f, args=(n - 1,)).start()
        except RuntimeError:
            pass
    time.sleep(1)
f(6)
