# Threads that wait for an event that never comes.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
e = threading.Event()
for i in range(60):
    try:
        threading.Thread(target=e.wait, args=(2,), daemon=True).start()
    except RuntimeError:
        break
