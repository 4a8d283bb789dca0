# os.path.realpath follows /proc/self/cwd.
# breach: secret
# state: kept
import os
os.path.realpath("/proc/self/cwd")
