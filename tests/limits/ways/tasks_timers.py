# Starts timers.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading
keep = []
try:
    for i in range(300):
        t = threading.Timer(1, print)
        t.start()
        keep.append(t)
except RuntimeError as error:
    print(error)
for t in keep:
    t.cancel()
