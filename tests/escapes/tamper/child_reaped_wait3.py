# os.wait3.
# breach: setting
# state: kept
import os
os.wait3(os.WNOHANG)
