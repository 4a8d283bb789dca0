# os.utime.
# breach: marker
# state: kept
import os
os.utime(SECRET_FILE, (0, 0))
