# A daemon with a session of its own, twice forked, without a terminal or an environment.
# limit: memory
# after: 3
setsid -f env -i /usr/bin/python3 -c '
import time
time.sleep(1)
keep = []
while len(keep) < 500:
    try:
        keep.append(b"x" * (1 << 20))
    except MemoryError:
        break
time.sleep(20)' >/dev/null 2>&1 </dev/null
# %% wait 2
