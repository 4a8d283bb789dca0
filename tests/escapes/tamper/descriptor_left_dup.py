# os.dup leaves one.
# breach: setting
import os
os.dup(0)
