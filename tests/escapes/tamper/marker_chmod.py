# os.chmod.
# breach: marker
# state: kept
import os
os.chmod(SECRET_FILE, 0o777)
