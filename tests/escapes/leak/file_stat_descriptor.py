# os.stat beneath a folder's descriptor.
# breach: setting inode
import os
os.stat("secret.txt", dir_fd=FOLDER_FD).st_ino
