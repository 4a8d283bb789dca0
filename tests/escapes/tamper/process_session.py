# os.setsid.
# breach: setting
# state: kept
import os
os.setsid()
