# os.access tells what there is.
# breach: setting existence
import os
os.access(SECRET_FILE, os.F_OK), os.access(SECRET_FILE + "x", os.F_OK)
