# os.read of a descriptor of the host.
# breach: secret
# state: kept
import os
os.read(SECRET_FD, 100)
