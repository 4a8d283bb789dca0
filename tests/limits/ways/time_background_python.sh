# A daemon that minds no signal and computes, with a name of its own.
# limit: cpu
# after: 3
setsid -f python3 -c '
import signal
for n in range(1, 64):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass' >/dev/null 2>&1 </dev/null
# %% wait 1
# %% cell
echo after
