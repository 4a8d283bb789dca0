# os.getppid.
# breach: setting parent
import os
os.getppid()
