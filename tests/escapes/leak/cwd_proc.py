# /proc/self/cwd.
# breach: secret
import os
os.readlink("/proc/self/cwd")
