# os.set_blocking.
# breach: setting
import os
os.set_blocking(SECRET_FD, False)
