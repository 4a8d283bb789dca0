# Threads and the cell itself loop without end.
# expect: rung 1
# threads: 3
import threading
def loop():
    while True:
        pass
for _ in range(3):
    threading.Thread(target=loop, daemon=True).start()
loop()
# %%
threading.active_count()
