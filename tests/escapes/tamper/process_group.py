# os.setpgid.
# breach: setting
import os
os.setpgid(0, 0)
