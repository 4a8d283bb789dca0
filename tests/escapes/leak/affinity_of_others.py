# Which processes the machine has, by their affinity.
# breach: setting pid
import os
for pid in range(1, 100000):
    try:
        os.sched_getaffinity(pid)
    except OSError:
        continue
    print(pid)
