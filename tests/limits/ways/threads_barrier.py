# A barrier for more than there may be.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
b = threading.Barrier(60)
for i in range(59):
    try:
        threading.Thread(target=lambda: b.wait(1)).start()
    except Exception:
        break
