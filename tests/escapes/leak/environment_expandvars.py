# os.path.expandvars.
# breach: secret
import os
os.path.expandvars("$" + SECRET_NAME)
