# os.truncate.
# breach: marker
import os
os.truncate(SECRET_FILE, 0)
