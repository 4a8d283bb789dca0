# /proc/self/cwd.
# breach: secret
# state: kept
import os
os.readlink("/proc/self/cwd")
