# os.mkdir.
# breach: marker
# state: kept
import os
os.mkdir(MARKER_FILE)
