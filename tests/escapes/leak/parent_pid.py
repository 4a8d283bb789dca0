# os.getppid.
# breach: setting parent
# state: kept
import os
os.getppid()
