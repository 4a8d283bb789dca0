# os.chdir.
# breach: setting
import os
os.chdir("/")
