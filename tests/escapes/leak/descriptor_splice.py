# os.splice into a pipe.
# breach: secret
import os
receive, send = os.pipe()
os.splice(SECRET_FD, send, 100, offset_src=0)
got = os.read(receive, 100)
os.close(receive)
os.close(send)
got
