# os.nice.
# breach: setting
# state: kept
import os
os.nice(3)
