# os.fdopen.
# breach: secret
# state: kept
import os
os.fdopen(SECRET_FD, closefd=False).read()
