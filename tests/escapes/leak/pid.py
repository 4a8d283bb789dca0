# os.getpid.
# breach: setting pid
# state: kept
import os
os.getpid()
