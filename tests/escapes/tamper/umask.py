# os.umask.
# breach: setting
import os
os.umask(0o777)
