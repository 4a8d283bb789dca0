# os.close of a descriptor of the host.
# breach: setting
import os
os.close(FOLDER_FD)
