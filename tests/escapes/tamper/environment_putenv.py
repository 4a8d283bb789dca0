# os.putenv beneath os.environ.
# breach: setting
# state: kept
import os
os.putenv("ESCAPED", "1")
