# os.utime.
# breach: marker
import os
os.utime(SECRET_FILE, (0, 0))
