# Twenty sessions at once that each start what they may.
# limit: sessions
# forms: local worker full bash
# options: --threads 4
# %% at once 8
import threading, time
threads = []
for i in range(40):
    try:
        t = threading.Thread(target=time.sleep, args=(1,))
        t.start()
        threads.append(t)
    except RuntimeError:
        break
