# Threads that are left by each of many cells.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
# rounds: 5
import threading, time
try:
    for i in range(3):
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
except RuntimeError:
    pass
