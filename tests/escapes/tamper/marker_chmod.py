# os.chmod.
# breach: marker
import os
os.chmod(SECRET_FILE, 0o777)
