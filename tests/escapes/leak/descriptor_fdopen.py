# os.fdopen.
# breach: secret
import os
os.fdopen(SECRET_FD, closefd=False).read()
