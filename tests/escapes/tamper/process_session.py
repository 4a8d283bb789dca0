# os.setsid.
# breach: setting
import os
os.setsid()
