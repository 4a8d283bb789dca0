# os.truncate.
# breach: marker
# state: kept
import os
os.truncate(SECRET_FILE, 0)
