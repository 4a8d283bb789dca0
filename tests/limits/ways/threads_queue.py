# Workers that wait at a queue, and are forgotten.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
import queue
q = queue.Queue()
for i in range(60):
    try:
        threading.Thread(target=lambda: q.get(timeout=1), daemon=True).start()
    except Exception:
        break
