# /proc/PID/comm is the process's name.
# breach: setting
# state: kept
import os
with open(f"/proc/{os.getpid()}/comm", "w") as file:
    _ = file.write("escaped")
