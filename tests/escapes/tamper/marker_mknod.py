# os.mknod of an ordinary file.
# breach: marker
import os
os.mknod(MARKER_FILE)
