# Threads that take themselves off the list of threads.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
def f():
    threading._active.clear()
    threading._limbo.clear()
    time.sleep(1)
for i in range(60):
    try:
        threading.Thread(target=f).start()
    except Exception:
        break
