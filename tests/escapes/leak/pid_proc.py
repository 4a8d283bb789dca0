# /proc/self is a link to the process id.
# breach: setting pid
# state: kept
import os
os.readlink("/proc/self")
