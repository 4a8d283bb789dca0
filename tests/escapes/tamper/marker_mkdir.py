# os.mkdir.
# breach: marker
import os
os.mkdir(MARKER_FILE)
