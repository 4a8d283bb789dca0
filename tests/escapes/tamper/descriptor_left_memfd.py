# os.memfd_create leaves one.
# breach: setting
import os
os.memfd_create("x")
