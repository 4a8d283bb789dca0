# Threads that completion and inspection start.
# limit: tasks
# options: --threads 4
import threading, time
class C:
    def __dir__(self):
        for i in range(60):
            try:
                threading.Thread(target=time.sleep, args=(1,)).start()
            except Exception:
                break
        return []
x = C()
# %% complete x.
