# /proc/self is a link to the process id.
# breach: setting pid
import os
os.readlink("/proc/self")
