# /proc/thread-self/mem.
# breach: secret
import os
number = os.open("/proc/thread-self/mem", os.O_RDONLY)
data = os.pread(number, 60, SECRET_ADDRESS)
os.close(number)
data
