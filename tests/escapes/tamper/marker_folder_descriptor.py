# os.mkdir beneath a folder's descriptor.
# breach: marker
import os
os.mkdir("made", dir_fd=FOLDER_FD)
