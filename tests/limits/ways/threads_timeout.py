# Threads left by cells that ran out of time.
# limit: tasks
# forms: local worker full bash
# options: --threads 4 --timeout 0.5s
# rounds: 3
import threading, time
def f():
    while True:
        try:
            time.sleep(1)
        except BaseException:
            pass
for i in range(10):
    try:
        threading.Thread(target=f, daemon=True).start()
    except RuntimeError:
        break
while True:
    time.sleep(1)
