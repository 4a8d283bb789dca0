# os.dup2 over a descriptor of the host.
# breach: setting
import os
os.dup2(SECRET_FD, FOLDER_FD)
