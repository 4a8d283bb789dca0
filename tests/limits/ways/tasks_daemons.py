# Leaves daemon threads that wait for the end of the cell and start others then.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
# after: 2
import threading, time
def body():
    while True:
        try:
            threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        except RuntimeError:
            time.sleep(0.01)
for i in range(3):
    threading.Thread(target=body, daemon=True).start()
# %% wait 1
