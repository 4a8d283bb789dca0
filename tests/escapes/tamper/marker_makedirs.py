# os.makedirs.
# breach: marker
# state: kept
import os
os.makedirs(MARKER_FILE + "/below")
