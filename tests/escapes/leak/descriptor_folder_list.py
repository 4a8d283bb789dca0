# os.listdir of a folder's descriptor.
# breach: secret
# state: kept
import os
os.listdir(FOLDER_FD)
