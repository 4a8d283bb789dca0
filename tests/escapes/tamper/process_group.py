# os.setpgid.
# breach: setting
# state: kept
import os
os.setpgid(0, 0)
