# os.pread.
# breach: secret
# state: kept
import os
os.pread(SECRET_FD, 100, 0)
