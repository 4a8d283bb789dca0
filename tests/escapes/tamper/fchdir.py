# os.fchdir to a descriptor of the host.
# breach: setting
# state: kept
import os
os.fchdir(FOLDER_FD)
