# os.umask.
# breach: setting
# state: kept
import os
os.umask(0o777)
