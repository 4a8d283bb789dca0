# /proc/self/exe.
# breach: setting executable
# state: kept
import os
os.readlink("/proc/self/exe")
