# A variable is set in os.environ.
# breach: setting
import os
os.environ["ESCAPED"] = "1"
