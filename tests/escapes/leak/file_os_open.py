# os.open and os.read.
# breach: secret
import os
number = os.open(SECRET_FILE, os.O_RDONLY)
got = os.read(number, 100)
os.close(number)
got
