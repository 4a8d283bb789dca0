# os.path.lexists.
# breach: setting existence
import os
os.path.lexists(SECRET_FILE), os.path.lexists(SECRET_FILE + "x")
