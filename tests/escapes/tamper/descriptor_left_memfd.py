# os.memfd_create leaves one.
# breach: setting
# state: kept
import os
os.memfd_create("x")
