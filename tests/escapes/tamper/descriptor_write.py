# os.write to a descriptor of the host.
# breach: marker
import os
os.write(SECRET_FD, b"x" * 100)
