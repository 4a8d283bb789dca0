# os.path.expanduser.
# breach: secret
import os
os.path.expanduser("~/x")
