# The same where four are allowed, by the module below threading too.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import threading, time, sys
threads = []
for i in range(100):
    try:
        t = threading.Thread(target=time.sleep, args=(1,))
        t.start()
        threads.append(t)
    except RuntimeError as error:
        break
low = sys.modules.get("_thread")
for i in range(100):
    try:
        low.start_new_thread(time.sleep, (1,))
    except Exception as error:
        print(error)
        break
print(len(threads))
