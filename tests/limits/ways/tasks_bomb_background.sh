# The same when the cell has ended, in a session of its own.
# limit: tasks
# after: 3
setsid -f python3 -c '
import os, signal, time
for n in range(1, 64):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
time.sleep(0.5)
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)' >/dev/null 2>&1 </dev/null
# %% wait 2
# %% cell
echo after
