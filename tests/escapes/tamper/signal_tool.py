# The shell's kill.
# breach: setting
import inspect, os
inspect.os.spawnv(0, "/bin/sh", ["sh", "-c", f"kill -USR1 {os.getpid()}"])
