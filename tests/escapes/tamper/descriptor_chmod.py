# os.fchmod and os.utime of a folder's descriptor.
# breach: marker
import os
os.fchmod(FOLDER_FD, 0o700)
