# os.mkdir beneath a folder's descriptor.
# breach: marker
# state: kept
import os
os.mkdir("made", dir_fd=FOLDER_FD)
