# /proc/self/exe.
# breach: setting executable
# known full: host
# state: kept
import os
os.readlink("/proc/self/exe")
