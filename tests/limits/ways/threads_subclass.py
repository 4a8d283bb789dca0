# Threads of a class of their own, with run and bootstrap replaced.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time
class T(threading.Thread):
    def run(self):
        time.sleep(1)
    def _bootstrap(self):
        self._bootstrap_inner()
for i in range(60):
    try:
        T().start()
    except Exception:
        break
