# os.pidfd_open leaves one.
# breach: setting
# state: kept
import os
os.pidfd_open(os.getpid())
