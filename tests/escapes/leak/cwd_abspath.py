# os.path.realpath follows /proc/self/cwd.
# breach: secret
import os
os.path.realpath("/proc/self/cwd")
