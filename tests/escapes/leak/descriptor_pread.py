# os.pread.
# breach: secret
import os
os.pread(SECRET_FD, 100, 0)
