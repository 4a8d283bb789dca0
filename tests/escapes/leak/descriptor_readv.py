# os.readv.
# breach: secret
# state: kept
import os
buffer = bytearray(100)
os.readv(SECRET_FD, [buffer])
bytes(buffer)
