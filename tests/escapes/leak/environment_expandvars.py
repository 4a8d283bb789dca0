# os.path.expandvars.
# breach: secret
# state: kept
import os
os.path.expandvars("$" + SECRET_NAME)
