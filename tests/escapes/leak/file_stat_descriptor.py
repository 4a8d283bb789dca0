# os.stat beneath a folder's descriptor.
# breach: setting inode
# state: kept
import os
os.stat("secret.txt", dir_fd=FOLDER_FD).st_ino
