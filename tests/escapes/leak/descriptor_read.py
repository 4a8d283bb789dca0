# os.read of a descriptor of the host.
# breach: secret
import os
os.read(SECRET_FD, 100)
