# os.readv.
# breach: secret
import os
buffer = bytearray(100)
os.readv(SECRET_FD, [buffer])
bytes(buffer)
