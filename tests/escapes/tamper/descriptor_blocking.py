# os.set_blocking.
# breach: setting
# state: kept
import os
os.set_blocking(SECRET_FD, False)
