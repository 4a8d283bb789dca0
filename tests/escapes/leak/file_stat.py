# os.stat of a file outside.
# breach: setting inode
# state: kept
import os
os.stat(SECRET_FILE).st_ino
