# os.dup leaves one.
# breach: setting
# state: kept
import os
os.dup(0)
