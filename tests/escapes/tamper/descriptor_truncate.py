# os.ftruncate.
# breach: marker
import os
os.ftruncate(SECRET_FD, 0)
