# Threads that finalizers start, in the cell and at its end.
# limit: tasks
# options: --threads 4
import threading, time
class D:
    def __del__(self, start=threading.Thread, sleep=time.sleep):
        for i in range(20):
            try:
                start(target=sleep, args=(1,)).start()
            except Exception:
                break
for i in range(5):
    D()
x = D()
# %% cell
del x
