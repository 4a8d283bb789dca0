# os.fchdir to a descriptor of the host.
# breach: setting
import os
os.fchdir(FOLDER_FD)
