# os.path.expanduser.
# breach: secret
# state: kept
import os
os.path.expanduser("~/x")
