# os.dup.
# breach: secret
import os
copy = os.dup(SECRET_FD)
got = os.read(copy, 100)
os.close(copy)
got
