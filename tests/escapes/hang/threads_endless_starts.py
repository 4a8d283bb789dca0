# Threads that end at once, started without end by others.
# expect: rung 1
# threads: 4
import threading
def start():
    while True:
        t = threading.Thread(target=int)
        t.start()
        t.join()
for _ in range(2):
    threading.Thread(target=start).start()
# %%
t = threading.Thread(target=int); t.start(); t.join(); threading.active_count()
