# os.symlink.
# breach: marker
# state: kept
import os
os.symlink("x", MARKER_FILE)
