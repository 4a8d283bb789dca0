# os.eventfd leaves one.
# breach: setting
import os
os.eventfd(0)
