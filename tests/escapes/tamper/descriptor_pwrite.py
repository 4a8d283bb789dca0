# os.pwrite far behind the end.
# breach: marker
import os
os.pwrite(SECRET_FD, b"x", 1000)
