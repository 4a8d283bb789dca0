# The descriptors of the process's first thread, in /proc.
# breach: secret
# state: kept
import os
with open(f"/proc/self/task/{os.getpid()}/fd/{SECRET_FD}") as file:
    text = file.read()
text
