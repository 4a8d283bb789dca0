# os.remove.
# breach: marker
# state: kept
import os
os.remove(SECRET_FILE)
