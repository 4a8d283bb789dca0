# os.posix_fallocate makes the host's file longer.
# breach: marker
# state: kept
import os
os.posix_fallocate(SECRET_FD, 0, 10000)
