# os.wait3.
# breach: setting
import os
os.wait3(os.WNOHANG)
