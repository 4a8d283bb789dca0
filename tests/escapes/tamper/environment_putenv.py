# os.putenv beneath os.environ.
# breach: setting
import os
os.putenv("ESCAPED", "1")
