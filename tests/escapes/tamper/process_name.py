# /proc/PID/comm is the process's name.
# breach: setting
import os
with open(f"/proc/{os.getpid()}/comm", "w") as file:
    _ = file.write("escaped")
