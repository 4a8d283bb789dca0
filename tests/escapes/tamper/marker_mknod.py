# os.mknod of an ordinary file.
# breach: marker
# state: kept
import os
os.mknod(MARKER_FILE)
