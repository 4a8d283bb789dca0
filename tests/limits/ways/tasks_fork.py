# Forks, by os and by system calls.
# limit: tasks
# forms: local worker full bash
# quick:
import os, time
done = 0
try:
    for i in range(300):
        if os.fork() == 0:
            time.sleep(2)
            os._exit(0)
        done += 1
except (OSError, AttributeError) as error:
    print(error)
print(done)
time.sleep(0.5)
