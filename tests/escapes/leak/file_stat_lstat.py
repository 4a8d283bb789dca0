# os.lstat by a relative path.
# breach: setting inode
import os
os.lstat("../" * 30 + SECRET_FILE[1:]).st_ino
