# Threads that are started when the session is reset and closed.
# limit: tasks
# options: --threads 4
import threading, time
import atexit
@atexit.register
def f():
    for i in range(60):
        try:
            threading.Thread(target=time.sleep, args=(1,)).start()
        except Exception:
            break
# %% reset
# %% cell
1
