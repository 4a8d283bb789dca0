# Takes over signals and blocks them before it loops.
# limit: wall cpu
# forms: full bash
# after: 3
import signal
for n in range(1, 64):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
try:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
except (OSError, ValueError):
    pass
while True:
    pass
