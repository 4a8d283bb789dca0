# os.statx of a file of the host's.
# breach: setting inode
# only: 3.15+
# profile: data
import os
os.statx(SECRET_FILE, os.STATX_INO).stx_ino
