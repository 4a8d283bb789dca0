# os.posix_fallocate makes the host's file longer.
# breach: marker
import os
os.posix_fallocate(SECRET_FD, 0, 10000)
