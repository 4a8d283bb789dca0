# os.fchmod and os.utime of a folder's descriptor.
# breach: marker
# state: kept
import os
os.fchmod(FOLDER_FD, 0o700)
