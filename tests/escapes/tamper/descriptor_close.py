# os.close of a descriptor of the host.
# breach: setting
# state: kept
import os
os.close(FOLDER_FD)
