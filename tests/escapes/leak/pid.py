# os.getpid.
# breach: setting pid
import os
os.getpid()
