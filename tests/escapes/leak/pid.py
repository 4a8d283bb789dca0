# The process id.
# breach: setting pid
# state: kept
import os
os.getpid()
