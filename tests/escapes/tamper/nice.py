# os.nice.
# breach: setting
import os
os.nice(3)
