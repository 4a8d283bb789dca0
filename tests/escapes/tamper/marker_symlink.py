# os.symlink.
# breach: marker
import os
os.symlink("x", MARKER_FILE)
