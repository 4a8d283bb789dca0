# Locks every second byte of files, in many processes.
# limit: memory
# forms: bash
# after: 2
import fcntl
import os
import struct
import time

for i in range(30):
    if os.fork() == 0:
        break
fd = os.open(f"locks{os.getpid()}", os.O_CREAT | os.O_RDWR)
try:
    for i in range(20000):
        fcntl.fcntl(fd, fcntl.F_SETLK, struct.pack("hhqqixxxx", fcntl.F_WRLCK, 0, 2 * i, 1, 0))
except OSError as error:
    print(error)
time.sleep(2)
