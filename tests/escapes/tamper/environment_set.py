# A variable is set in os.environ.
# breach: setting
# state: kept
import os
os.environ["ESCAPED"] = "1"
