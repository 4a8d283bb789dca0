# os.path.lexists.
# breach: setting existence
# state: kept
import os
os.path.lexists(SECRET_FILE), os.path.lexists(SECRET_FILE + "x")
