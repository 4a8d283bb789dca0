# Children that end and are not waited for.
# limit: tasks
python3 -c '
import os, time
for i in range(400):
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        break
time.sleep(3)'
