# Starts threads until it is refused.
# limit: tasks
# forms: local worker full bash
# quick:
import threading, time
threads = []
for i in range(400):
    try:
        t = threading.Thread(target=time.sleep, args=(1,))
        t.start()
        threads.append(t)
    except RuntimeError as error:
        print(error)
        break
print(len(threads))
