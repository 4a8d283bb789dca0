# os.path.exists.
# breach: setting existence
# state: kept
import os
os.path.exists(SECRET_FILE), os.path.exists(SECRET_FILE + "x")
