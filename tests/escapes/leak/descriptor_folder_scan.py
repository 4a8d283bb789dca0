# os.scandir of a folder's descriptor.
# breach: secret
import os
[entry.name for entry in os.scandir(FOLDER_FD)]
