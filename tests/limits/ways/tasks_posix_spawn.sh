# Processes by posix_spawn and vfork.
# limit: tasks
python3 -c '
import os, time
for i in range(300):
    try:
        os.posix_spawn("/bin/sleep", ["sleep", "3"], {})
    except OSError:
        break
time.sleep(2)'
