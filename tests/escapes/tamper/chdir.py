# os.chdir.
# breach: setting
# state: kept
import os
os.chdir("/")
