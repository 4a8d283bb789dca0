# os.eventfd leaves one.
# breach: setting
# state: kept
import os
os.eventfd(0)
