# os.remove.
# breach: marker
import os
os.remove(SECRET_FILE)
