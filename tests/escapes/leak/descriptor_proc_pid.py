# /proc/PID/fd/NUMBER.
# breach: secret
import os
with open(f"/proc/{os.getpid()}/fd/{SECRET_FD}") as file:
    text = file.read()
text
