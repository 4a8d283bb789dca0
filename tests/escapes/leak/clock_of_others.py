# Which processes the machine has, by the clocks of their processor time.
# breach: setting pid
import time
for pid in range(1, 100000):
    try:
        time.clock_gettime(~pid << 3 | 2)
    except OSError:
        continue
    print(pid)
