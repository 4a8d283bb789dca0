# os.stat of a file outside.
# breach: setting inode
import os
os.stat(SECRET_FILE).st_ino
