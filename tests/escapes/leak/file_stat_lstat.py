# os.lstat by a relative path.
# breach: setting inode
# state: kept
import os
os.lstat("../" * 30 + SECRET_FILE[1:]).st_ino
