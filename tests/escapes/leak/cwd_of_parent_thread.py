# The current folder of the process's first thread.
# breach: secret
import os
os.readlink(f"/proc/self/task/{os.getpid()}/cwd")
