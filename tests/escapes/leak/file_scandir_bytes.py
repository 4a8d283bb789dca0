# os.scandir with a path of bytes.
# breach: setting inode
import os
[entry.inode() for entry in os.scandir(os.fsencode(OUTSIDE)) if entry.path == os.fsencode(SECRET_FILE)][0]
