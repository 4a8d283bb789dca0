# os.listdir of a folder's descriptor.
# breach: secret
import os
os.listdir(FOLDER_FD)
