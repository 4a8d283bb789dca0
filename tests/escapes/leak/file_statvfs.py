# os.statvfs tells the size of the file system.
# breach: setting blocks
import os
os.statvfs(SECRET_FILE).f_blocks
