# os.path.exists.
# breach: setting existence
import os
os.path.exists(SECRET_FILE), os.path.exists(SECRET_FILE + "x")
