# os.makedirs.
# breach: marker
import os
os.makedirs(MARKER_FILE + "/below")
