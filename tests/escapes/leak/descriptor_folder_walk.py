# os.fwalk from a folder's descriptor.
# breach: secret
import os
[(folders, files) for _, folders, files, _ in os.fwalk(dir_fd=FOLDER_FD)]
