# os.ftruncate.
# breach: marker
# state: kept
import os
os.ftruncate(SECRET_FD, 0)
