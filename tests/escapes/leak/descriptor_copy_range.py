# os.copy_file_range into a file in memory.
# breach: secret
import os
copy = os.memfd_create("copy")
os.copy_file_range(SECRET_FD, copy, 100, 0, 0)
got = os.pread(copy, 100, 0)
os.close(copy)
got
