# os.pidfd_open leaves one.
# breach: setting
import os
os.pidfd_open(os.getpid())
