# The descriptors of the process's first thread, in /proc.
# breach: secret
import os
with open(f"/proc/self/task/{os.getpid()}/fd/{SECRET_FD}") as file:
    text = file.read()
text
