# os.lseek moves the host's position.
# breach: marker
import os
os.lseek(SECRET_FD, 5, os.SEEK_SET)
